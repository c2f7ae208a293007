/** Rules about requirements: what is said to be met is shown by a test that says so. */
import { expect, test } from 'vitest';

/** The tools are plain JavaScript, without types. */
const { citations, closed, rows } = (await import('../../tools/citations.mjs' as string)) as {
  readonly citations: () => readonly { readonly ids: readonly string[] }[];
  readonly closed: () => readonly string[];
  readonly rows: () => readonly { readonly id: string }[];
};

test('every row that is said to be met is cited by the title of a test', () => {
  const cited = new Set(citations().flatMap(({ ids }) => ids));
  const uncited = closed().filter((id) => !cited.has(id));
  expect(uncited.join(' ')).toBe('');
  expect(closed().length).toBeGreaterThanOrEqual(91);
});

test('what is said to be met is a row or a ruling', () => {
  const known = new Set(rows().map(({ id }) => id));
  const unknown = closed().filter((id) => !known.has(id) && !id.startsWith('ruling '));
  expect(unknown.join(' ')).toBe('');
});
