/** The tools of this repository that other rules lean on. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const { idsIn, rows } = (await import('../../tools/citations.mjs' as string)) as {
  readonly idsIn: (title: string) => readonly string[];
  readonly rows: () => readonly { readonly id: string }[];
};
/** Split, so that this file cites nothing. */
const row = (area: string, rest: string) => `${area}-${rest}`;

test.each([
  [row('EV', '54'), ['54']],
  [row('EV', '1…3'), ['1', '2', '3']],
  [row('EV', '1..3, 9'), ['1', '2', '3', '9']],
  [row('EV', '75/76'), ['75', '76']],
  [row('EV', '4, 5 and more, in 20 runs'), ['4', '5']],
])('the title "%s" cites the rows %j', (title, numbers) => {
  expect(idsIn(`something holds (${title})`)).toEqual(numbers.map((number) => row('EV', number)));
});

test('a title cites faults, alone and in spans', () => {
  expect(idsIn(`x (${row('L', 'A17')}, ${row('L', 'N4…N6')})`)).toEqual(
    ['A17', 'N4', 'N5', 'N6'].map((id) => row('L', id)),
  );
});

test('a title cites rulings, one or several', () => {
  const word = ['rul', 'ing'].join('');
  expect(idsIn(`x (${word} 5, then ${word}s 1, 2…4)`)).toEqual(
    [5, 1, 2, 3, 4].map((number) => `${word} ${number}`),
  );
});

test('every row of the copied requirements is found', () => {
  expect(rows().length).toBe(365);
  expect(new Set(rows().map(({ id }) => id)).size).toBe(365);
});

const report = (passed: number, failed: number) =>
  JSON.stringify({ numPassedTests: passed, numFailedTests: failed, success: failed === 0 });

test.each([
  ['all passed', [report(3, 0)], '0', '3 passed, 0 failed\n'],
  ['one failed', [report(2, 1)], '1', '2 passed, 1 failed\n'],
  ['the run ended badly though no test failed', [report(3, 0)], '1', '3 passed, 1 failed\n'],
  ['no test ran', [report(0, 0)], '0', '0 passed, 1 failed\n'],
  ['there is no report', [null], '0', '0 passed, 1 failed\n'],
  ['all of two lanes passed', [report(3, 0), report(4, 0)], '0', '7 passed, 0 failed\n'],
  ['some of both failed', [report(3, 1), report(2, 2)], '1', '5 passed, 3 failed\n'],
  ['the second did not begin', [report(3, 0), null], '1', '3 passed, 1 failed\n'],
  ['the second died in its report', [report(3, 0), '{"numPas'], '1', '3 passed, 1 failed\n'],
  ['the second is no report', [report(3, 0), 'null'], '0', '3 passed, 1 failed\n'],
  ['the second ran no test', [report(3, 0), report(0, 0)], '0', '3 passed, 1 failed\n'],
])('the count says what is true when %s', (_, contents, status, said) => {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-count-'));
  const paths = contents.map((content, n) => {
    const path = join(folder, `report-${n}.json`);
    if (content !== null) writeFileSync(path, content);
    return path;
  });
  const args = ['tools/count.mjs', status, ...paths];
  const run = spawnSync(process.execPath, args, { encoding: 'utf8' });
  rmSync(folder, { recursive: true });
  expect([run.stdout, run.status]).toEqual([said, said.endsWith(', 0 failed\n') ? 0 : 1]);
});
