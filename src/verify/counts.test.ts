import { expect, test } from 'vitest';
import { readReport, testsRun } from './counts.ts';

test.each([
  [
    'node --test',
    'TAP version 13\nok 1 - a\nnot ok 2 - adds\n1..2\n# tests 12\n# suites 0\n# pass 11\n# fail 1\n# cancelled 0\n# skipped 0\n# todo 0\n',
    { passed: 11, failed: 1, skipped: 0 },
    ['adds'],
  ],
  [
    'node --test',
    '✔ a (1.2ms)\n✖ adds (0.9ms)\nℹ tests 2\nℹ pass 1\nℹ fail 1\nℹ cancelled 0\nℹ skipped 0\nℹ todo 0\n✖ failing tests:\n',
    { passed: 1, failed: 1, skipped: 0 },
    ['adds'],
  ],
  [
    'vitest',
    ' FAIL  src/a.test.ts > parse > dates\n\n Test Files  1 failed | 2 passed (3)\n      Tests  1 failed | 11 passed | 2 skipped (14)\n   Start at  10:00:00\n',
    { passed: 11, failed: 1, skipped: 2 },
    ['src/a.test.ts > parse > dates'],
  ],
  [
    'vitest',
    ' Test Files  3 passed (3)\n      Tests  \u001b[32m12 passed\u001b[39m (12)\n     Errors  1 error\n',
    { passed: 12, failed: 1, skipped: null },
    [],
  ],
  [
    'jest',
    '  ● parse › dates\n\nTest Suites: 1 failed, 1 passed, 2 total\nTests:       1 failed, 2 skipped, 11 passed, 14 total\nSnapshots:   0 total\n',
    { passed: 11, failed: 1, skipped: 2 },
    ['parse › dates'],
  ],
  ['jest', 'Tests:       12 passed, 12 total\n', { passed: 12, failed: 0, skipped: null }, []],
  [
    'mocha',
    '  11 passing (20ms)\n  2 pending\n  1 failing\n\n  1) parse dates:\n',
    { passed: 11, failed: 1, skipped: 2 },
    ['parse dates'],
  ],
  [
    'pytest',
    'FAILED tests/test_a.py::test_dates - assert 1 == 2\n=== 1 failed, 11 passed, 2 skipped in 0.12s ===\n',
    { passed: 11, failed: 1, skipped: 2 },
    ['tests/test_a.py::test_dates'],
  ],
  ['pytest', '12 passed in 0.02s\n', { passed: 12, failed: null, skipped: null }, []],
  [
    'pytest',
    'ERROR tests/test_a.py\n!!! Interrupted: 1 error during collection !!!\n1 error in 0.05s\n',
    { passed: null, failed: 1, skipped: null },
    ['tests/test_a.py'],
  ],
  [
    'cargo test',
    'test a::b ... FAILED\ntest result: FAILED. 5 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s\ntest result: ok. 6 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n',
    { passed: 11, failed: 1, skipped: 1 },
    ['a::b'],
  ],
  [
    'go test',
    '--- FAIL: TestDates (0.00s)\nFAIL\nFAIL\texample.com/a\t0.002s\nok  \texample.com/b\t0.001s\n',
    { passed: null, failed: 1, skipped: null },
    ['TestDates', 'example.com/a'],
  ],
  [
    'go test',
    '=== RUN   TestA\n--- PASS: TestA (0.00s)\n--- SKIP: TestB (0.00s)\nPASS\nok  \tx\t0.1s\n',
    { passed: 1, failed: null, skipped: 1 },
    [],
  ],
  [
    'rspec',
    'rspec ./spec/a_spec.rb:3 # parse dates\n14 examples, 1 failure, 2 pending\n',
    { passed: 11, failed: 1, skipped: 2 },
    ['parse dates'],
  ],
  [
    'TAP',
    'TAP version 13\nok 1 - a\nnot ok 2 - b\nok 3 # SKIP no network\n1..3\n',
    { passed: 1, failed: 1, skipped: 1 },
    ['b'],
  ],
  [
    'maven',
    '[INFO] Tests run: 5, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s\n[ERROR] Tests run: 12, Failures: 1, Errors: 1, Skipped: 2\n',
    { passed: 8, failed: 2, skipped: 2 },
    [],
  ],
  ['unittest', 'Ran 12 tests in 0.1s\n\nOK\n', { passed: 12, failed: 0, skipped: null }, []],
  [
    'dotnet test',
    'Failed!  - Failed:     1, Passed:    11, Skipped:     2, Total:    14\n',
    { passed: 11, failed: 1, skipped: 2 },
    [],
  ],
  ['plain', '2 failed\n', { passed: null, failed: 2, skipped: null }, []],
  ['plain', '✖ 2 tests failed, 3 passed\n', { passed: 3, failed: 2, skipped: null }, []],
])('the report of %s is read', (runner, output, counts, failing) => {
  expect(readReport(output)).toEqual({ runner, counts, failing });
});

test.each([
  '',
  'all good',
  'retried because 2 requests failed once',
  'DONE 12 of 12',
  'ok\n',
  'OK\nnot ok\n',
])('prose is no report: %s', (output) => expect(readReport(output)).toBeNull());

test('tests that were skipped did not run', () => {
  expect(testsRun({ passed: 0, failed: 0, skipped: 9 })).toBe(0);
  expect(testsRun({ passed: null, failed: null, skipped: 9 })).toBeNull();
  expect(testsRun(null)).toBeNull();
});

test.each([
  ['blank lines', '\n'.repeat(250_000)],
  ['spaces', ' '.repeat(250_000)],
  ['one endless number', `1 examples, ${'1'.repeat(250_000)}`],
  ['commas', '=== 1 passed, '.repeat(20_000)],
])('no output makes the reading slow: %s', (_, output) => {
  // Goal: a pattern that tries again at each position would take minutes, and the test its limit.
  expect(readReport(output)).toBeDefined();
});
