import { expect, test } from 'vitest';
import { digest } from '../../../test/support/example-run.ts';
import { artifactsFact, artifactWords, lackingWords } from './artifacts.ts';

const file = (path: string) => ({ path, sha256: 'a'.repeat(64), bytes: 1 });
const left = {
  statement: digest('a'),
  files: ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => file(`shots/${name}.png`)),
  more: 3,
  missing: ['shots/*.svg'],
  refused: [{ path: 'shots/\u001b.png', why: 'it is a link' }],
};

test('what was left is named up to a bound, and what was not is said (EV-67)', () => {
  expect(artifactWords(left)).toEqual([
    'shots/a.png, shots/b.png, shots/c.png, shots/d.png, shots/e.png, 4 more',
    'missing: nothing fits shots/*.svg',
    'not attested: "shots/\\033.png": it is a link',
  ]);
  expect(lackingWords(left)).toEqual(artifactWords(left).slice(1));
  expect(lackingWords({ ...left, missing: [], refused: [] })).toEqual([]);
});

test('a viewer is told with a sign when something is lacking (EV-67)', () => {
  const whole = artifactsFact({ artifacts: { ...left, missing: [], refused: [] } });
  expect(whole).toMatchObject({ kind: 'artifacts', line: { sign: '·' } });
  expect(whole.fields).toContainEqual(['files', 9]);
  const lacking = artifactsFact({ artifacts: { ...left, files: [], more: 0 } });
  expect(lacking.line).toMatchObject({ sign: '!', label: 'artifacts' });
  expect(lacking.fields).toContainEqual(['missing', 'shots/*.svg']);
});
