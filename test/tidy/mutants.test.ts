/** The list of planted faults cannot rot, and their runner believes assertions alone. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Mutant } from './mutants/mutant.ts';
import { mutants } from './mutants/mutants.ts';
import { tests } from './sources.ts';

type Judged = { readonly how: string; readonly by: string };
const { judgeClean, judgeFault } = (await import('../../tools/planted/judge.mjs' as string)) as {
  readonly judgeFault: (report: unknown, says?: string) => Judged;
  readonly judgeClean: (report: unknown) => string | null;
};
const { plant } = (await import('../../tools/planted/copy.mjs' as string)) as {
  readonly plant: (directory: string, mutant: Mutant) => () => void;
};

describe('each planted fault', () => {
  test('has a name of its own', () => {
    const ids = mutants.map(({ id }) => id);
    expect(
      ids.filter((id, n) => ids.indexOf(id) !== n || !/^[a-z]+(?:-[a-z]+)*$/.test(id)),
    ).toEqual([]);
  });

  test('applies to the source of today: its text is found once, and is changed', () => {
    const rotten = mutants.filter(({ file, find, replace }) => {
      const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
      return text.split(find).length !== 2 || find === replace;
    });
    expect(rotten.map(({ id, file }) => `${id}: ${file}`)).toEqual([]);
  });

  test('is of shipped code', () => {
    const odd = mutants.filter(({ file }) => !/^src\/.*(?<!\.test)\.ts$/.test(file));
    expect(odd.map(({ id }) => id)).toEqual([]);
  });

  test('names a lane and files of its tests that are there, and the title that it means', () => {
    const config = readFileSync('vitest.config.ts', 'utf8');
    const lost = mutants.filter(({ caughtBy: { project, files, title } }) => {
      // A title may stand in a suite that several files run; a number may be filled in.
      const written = title?.replace(/ \d+$/, ' ') ?? '';
      const isTitled = tests.some(({ text }) => text.includes(written));
      const isThere = files.length > 0 && files.every((path) => existsSync(path));
      return !config.includes(`lane('${project}'`) || !isThere || !isTitled;
    });
    expect(lost.map(({ id }) => id)).toEqual([]);
  });
});

test('a fault is planted in the copy alone, exactly once, and taken back', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-plant-'));
  const file = 'a.ts';
  const text = () => readFileSync(join(folder, file), 'utf8');
  const fault = { id: 'x', file, why: '', caughtBy: { project: 'unit', files: [] } };
  writeFileSync(join(folder, file), 'one two two');
  const takeBack = plant(folder, { ...fault, find: 'one', replace: '$& $1' });
  expect(text()).toBe('$& $1 two two');
  takeBack();
  expect(text()).toBe('one two two');
  expect(() => plant(folder, { ...fault, find: 'two', replace: '' })).toThrow('x: its text is 2');
  expect(() => plant(folder, { ...fault, find: 'three', replace: '' })).toThrow('its text is 0');
  expect(text()).toBe('one two two');
  rmSync(folder, { recursive: true });
});

const ran = (status: string, ...failureMessages: readonly string[]) => ({
  testResults: [
    { status, message: '', assertionResults: [{ status, fullName: 'it holds', failureMessages }] },
  ],
});
const unloaded = {
  testResults: [{ status: 'failed', message: 'SyntaxError: x\n at y', assertionResults: [] }],
};
const stack = '\n    at AssertionError: (file.ts:1:1)';

test.each([
  ['an assertion', ran('failed', 'AssertionError: expected 1 to be 2'), 'caught'],
  ['a property', ran('failed', 'Error: Property failed after 3 tests\n{ seed: 1 }'), 'caught'],
  ['a promise', ran('failed', 'Error: promise resolved "1" instead of rejecting'), 'caught'],
  ['the oracle', ran('failed', 'Violation: W1: two agents'), 'caught'],
  ['nobody', ran('passed'), 'survived'],
  ['an error of another kind', ran('failed', `TypeError: x is no function${stack}`), 'stumbled'],
  ['a test that was ended', ran('failed', 'Error: Test timed out in 30000ms.'), 'stumbled'],
  ['a file that cannot be loaded', unloaded, 'stumbled'],
  ['no test at all', ran('skipped'), 'nothing'],
  ['no report', null, 'nothing'],
])('by %s: what a run proves about a fault', (_, report, how) => {
  expect(judgeFault(report).how).toBe(how);
});

test('what a failure has to say is looked for in its message, not in its stack', () => {
  const report = ran('failed', `Error: slots.full${stack}`);
  expect(judgeFault(report, 'slots.full').how).toBe('caught');
  expect(judgeFault(report, 'file.ts').how).toBe('stumbled');
});

test('tests that are red without a fault are told as that', () => {
  expect(judgeClean(ran('passed'))).toBeNull();
  expect(judgeClean(ran('failed', 'AssertionError: x'))).toBe('fails without a fault: it holds');
  expect(judgeClean(unloaded)).toContain('SyntaxError: x');
  expect(judgeClean(null)).toBe('no test ran');
});
