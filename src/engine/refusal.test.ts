/** Goal: whoever is refused is told what somebody else may type. */
import { expect, test } from 'vitest';
import { refusal } from './refusal.ts';

test('a stranger who may not cancel is given the line for the operator', () => {
  const rejection = { code: 'principal.refused', command: 'cancel', kind: 'automation' } as const;
  const { code, details } = refusal(rejection, '7k2m');
  expect(code).toBe('not_yours');
  expect(details.next).toBe('ask the operator to run:  pawl cancel 7k2m');
});

const needed = {
  code: 'grant.needed',
  reason: 'drift_detected',
  needs: ['--restore | --allow <path>…'],
} as const;

test('who allowed some of the paths is told which are open, and the line that allows all', () => {
  const open = { paths: ["it's.md", 'docs/b'], more: 0, given: ['a'] };
  const { details } = refusal({ ...needed, open }, '7k2m');
  expect(details.found).toBe("still open: it's.md, docs/b");
  expect(details.next).toBe("pawl resume 7k2m --allow a --allow 'it'\\''s.md' --allow docs/b");
  expect(details.facts).toMatchObject({ open: ["it's.md", 'docs/b'], more: 0 });
});

test('paths beyond the list are counted; a pattern takes them in', () => {
  const { details } = refusal({ ...needed, open: { paths: [], more: 4, given: ['a'] } }, '7k2m');
  expect(details.found).toBe('still open: 4 more that are not named here');
  expect(details.next).toBe("pawl resume 7k2m --allow '**'");
});

test('who allowed nothing is told what was found', () => {
  const { details } = refusal({ ...needed, open: { paths: ['a'], more: 0, given: [] } }, '7k2m');
  expect(details).toMatchObject({ found: 'a', next: 'pawl resume 7k2m --restore' });
});

test('where nothing can be put back, the allowance is what to type', () => {
  const inPlace = { ...needed, needs: ['--allow <path>…'] };
  const { details } = refusal({ ...inPlace, open: { paths: ['a'], more: 0, given: [] } }, '7k2m');
  expect(details.next).toBe('pawl resume 7k2m --allow a');
});
