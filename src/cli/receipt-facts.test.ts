/** Goal: a receipt is outside data: what is not there, or is not of its shape, is not told. */
import { expect, test } from 'vitest';
import { digest } from '../../test/support/example-run.ts';
import { scriptedClient } from '../../test/support/scripted-client.ts';
import { receiptFacts } from './receipt-facts.ts';

const facts = (text: string | null) => {
  const client = scriptedClient();
  if (text !== null) client.artifacts.set(digest('c'), text);
  return receiptFacts(client, digest('c'));
};
const envelope = (predicate: unknown): string =>
  JSON.stringify({
    payload: Buffer.from(JSON.stringify({ predicate })).toString('base64'),
  });

test('results, counts of the base and protected files are read', async () => {
  const counts = { passed: 120, failed: 0 };
  const criterion = { what: 'npm test', outcome: 'passed', exit: 0, counts, durationMs: 5 };
  const baseline = { passed: 118, failed: 2, skipped: 1 };
  const criteria = [{ ...criterion, baseline, reasons: ['a', 7] }];
  expect(
    await facts(envelope({ criteria, protected: { files: 6 }, verifier: { worker: 'w-1' } })),
  ).toEqual({
    protectedFiles: 6,
    worker: 'w-1',
    results: [
      { ...criterion, counts: { ...counts, skipped: null }, baseline, reasons: ['a'], human: null },
    ],
  });
});

test('who judged is told where it is said whole (UX 5.3)', async () => {
  const judged = (human: unknown) =>
    facts(envelope({ criteria: [{ what: 'look', outcome: 'passed', human }] }));
  const by = async (human: unknown) => (await judged(human))?.results[0]?.human;
  expect(await by({ actor: 'ada', channel: 'terminal' })).toBe('ada (terminal)');
  expect(await by({ actor: 'ada' })).toBeNull();
  expect(await by('ada')).toBeNull();
});

test.each([
  ['pruned', null],
  ['no JSON', '{'],
  ['no envelope', '{"payload":7}'],
  ['no statement', JSON.stringify({ payload: 'e' })],
  ['no criteria', envelope({ criteria: 'all' })],
])('%s: nothing is told', async (_what, text) => {
  expect(await facts(text)).toBeNull();
});

test('a criterion of another shape is left out, numbers that are none are unknown', async () => {
  const odd = [null, { what: 7, outcome: 'passed' }, { what: 'x', outcome: 'great' }];
  const kept = { what: 'x', outcome: 'failed', exit: '1', counts: 'many', durationMs: null };
  const read = await facts(envelope({ criteria: [...odd, kept], protected: { files: 'six' } }));
  expect(read).toEqual({
    protectedFiles: null,
    worker: null,
    results: [
      {
        ...{ what: 'x', outcome: 'failed', exit: null, counts: null, baseline: null },
        ...{ durationMs: 0, reasons: [], human: null },
      },
    ],
  });
});
