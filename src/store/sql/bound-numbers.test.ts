/**
 * A whole number arrives in SQLite as an integer from the driver of Node 20 and as a real from
 * Node's own, which makes '2' of the one and '2.0' of the other where it is turned into text. So
 * text is made in the program, and bound as text.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const folder = fileURLToPath(new URL('.', import.meta.url));
const texts = readdirSync(folder)
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }));

test('no value that is bound is made text in SQL', () => {
  expect(texts.length).toBeGreaterThan(10);
  const found = texts.flatMap(({ name, text }) =>
    [...text.matchAll(/cast\(\$\d+ as text\)|\$\d+ \|\||\|\| \$\d+/gi)].map(
      ([part]) => `${name}: ${part}`,
    ),
  );
  expect(found).toEqual([]);
});
