import { expect, test } from 'vitest';
import type { ChangedFile } from '../../ports/workspace.ts';
import { lookAt } from './look-at.ts';

const file = (path: string, change: Partial<ChangedFile> = {}): ChangedFile => ({
  path,
  status: 'modified',
  added: 6,
  removed: 2,
  ...change,
});
const of = (changed: readonly ChangedFile[], patch: string | null = null, more = {}) =>
  lookAt({ changed, patch, checkChanged: [], findings: [], ...more });
const patchOf = (path: string, ...lines: readonly string[]): string =>
  [
    `diff --git a/${path} b/${path}`,
    `--- a/${path}`,
    `+++ b/${path}`,
    '@@ -1 +1 @@',
    ...lines,
  ].join('\n');

test('a changed test file says what was added, removed and skipped (UX 3.3)', () => {
  const patch = patchOf(
    'test/parse.test.ts',
    "+test('one', () => {",
    `+  it.${'skip'}('two', () => {`,
    "-test('old', () => {",
    '+  const test = 1;',
  );
  expect(of([file('src/a.ts'), file('test/parse.test.ts')], patch)).toEqual([
    'test/parse.test.ts   a test file changed (2 tests added, 1 removed, 1 skipped)',
  ]);
});

test.each([
  ['tests/test_x.py', '+def test_weeks():', '1 test added, 0 removed, 0 skipped'],
  ['pkg/x_test.go', '-func TestWeeks(t *testing.T) {', '0 tests added, 1 removed, 0 skipped'],
  ['tests/x.rs', '+#[ignore]', '0 tests added, 0 removed, 1 skipped'],
])('%s is counted in its own language', (path, line, counts) => {
  expect(of([file(path)], patchOf(path, line))[0]).toContain(counts);
});

test('the order is tests, checks, scope, dependencies, the largest file; three at most', () => {
  const changed = [
    file('src/big.ts', { added: 400 }),
    file('package.json'),
    file('.github/workflows/ci.yml'),
    file('test/a.test.ts'),
  ];
  const more = { checkChanged: ['scripts/check.sh'] };
  expect(of(changed, null, more).map((line) => line.split('   ')[0])).toEqual([
    'test/a.test.ts',
    'scripts/check.sh',
    '.github/workflows/ci.yml',
  ]);
  expect(of(changed.slice(0, 2)).map((line) => line.split('   ')[0])).toEqual([
    'package.json',
    'src/big.ts',
  ]);
});

test('new dependencies are named, an update is not one', () => {
  const patch = patchOf(
    'package.json',
    '-    "zod": "^4.0.0",',
    '+    "zod": "^4.1.0",',
    '+    "left-pad": "1.3.0",',
    '+  "version": "2.0.0",',
  );
  expect(of([file('package.json')], patch)).toEqual(['package.json   new dependencies: left-pad']);
});

test('accepted drift is outside the scope; a small change of source is nothing to point at', () => {
  const findings = [{ kind: 'drift', paths: ['docs/x.md'], more: 0 }] as const;
  expect(of([file('docs/x.md'), file('src/a.ts')], null, { findings })).toEqual([
    'docs/x.md   outside the scope of this run',
  ]);
});

test('a path cannot write to the terminal', () => {
  expect(of([file('test/\u001b[2Jx.test.ts')])[0]).toBe(
    '"test/\\033[2Jx.test.ts"   a test file changed',
  );
});
