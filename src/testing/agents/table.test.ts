import { expect, test } from 'vitest';
import type { ClauseOutcome, ClauseResult } from './outcome.ts';
import { conformanceTable } from './table.ts';

const result = (clause: ClauseResult['clause'], outcome: ClauseOutcome): ClauseResult => ({
  clause,
  title: 'usage reported',
  outcome,
});

test('agent by clause, the failures of a model in one column, and why what did not pass did not', () => {
  const skip = { result: 'skip', reason: 'it has none', until: '2027-03-01' } as const;
  const fail = { result: 'fail', kind: 'contract', detail: 'it reported no usage' } as const;
  const text = conformanceTable([
    {
      name: 'one',
      version: '1.0.0',
      results: [
        result('C0', { result: 'pass' }),
        result('C6', fail),
        result('C11', { result: 'pass' }),
        result('F:drop', { result: 'pass' }),
        result('F:hang', { result: 'not_run', after: 'C8' }),
      ],
      outside: { 'npm.invalid': { reason: 'it looks for news', until: '2027-03-01' } },
    },
    { name: 'two', version: null, results: [result('C0', skip)] },
  ]);
  expect(text.split('\n')).toEqual([
    '           C0    C6    C11  F',
    'one 1.0.0  ok    FAIL  ok   1/2',
    'two        skip',
    '',
    'one C6 usage reported: contract: it reported no usage',
    'one C11 may ask npm.invalid until 2027-03-01: it looks for news',
    'two C0 skipped until 2027-03-01: it has none',
  ]);
});
