/** Goal: every digest in a record is found under its field, and a message's own digest is not. */
import { expect, test } from 'vitest';
import {
  digest,
  executed,
  facts,
  failed,
  prepared,
  verified,
} from '../../test/support/run-fixtures.ts';
import { referencesOf } from './execution/references.ts';
import type { JobResult } from './execution/state.ts';
import type { Digest, ExecutionId } from './ids.ts';
import { digestsIn, type Reference, refer } from './references.ts';
import { outputsOf } from './verdict/outputs.ts';
import type { CriterionResult } from './verdict/verdict.ts';

const full = (text: string) => `sha256:${text.repeat(64)}` as Digest;
const [a, b, c] = ['a', 'b', 'c'].map(full) as [Digest, Digest, Digest];

test('a reference is named by its kind and its digest, so the same again is the same (XP-16)', () => {
  expect(refer('receipt', null)).toEqual([]);
  expect(refer('receipt', a)).toEqual([{ name: `receipt.${a}`, digest: a }]);
});

test('digests are found at any depth, under their field, each once; a seal is no artifact', () => {
  const record = {
    seal: c,
    text: 'sha256:short',
    journal: a,
    none: null,
    list: { output: [b, b, { output: b }] },
  };
  expect(digestsIn(record)).toEqual([...refer('journal', a), ...refer('output', b)]);
});

test('a record that is nested without end is read to a depth', () => {
  const endless: Record<string, unknown> = { journal: a };
  endless['more'] = endless;
  expect(digestsIn(endless)).toEqual(refer('journal', a));
});

const id = 'r.1' as ExecutionId;
const success = (result: JobResult) =>
  ({ type: 'execution.succeeded', id, seal: digest('seal'), result }) as const;
const failure = (result: JobResult | null) =>
  ({
    type: 'execution.failed',
    id,
    class: 'lane_died',
    proof: 'kernel',
    detail: '',
    seal: null,
    result,
  }) as const;

/** What a host hands in today, with every field of it filled. */
const results: readonly JobResult[] = [
  prepared({ receipt: a, detail: b, outputs: [c] }),
  executed({
    ...{ text: a, journal: b },
    artifacts: { statement: c, files: [], more: 0, missing: [], refused: [] },
  }),
  { kind: 'verified', verdict: a, facts: facts({ receipt: b }), outputs: [c] },
  failed('lane_died', { text: a }),
];

test.each(results)('whatever a result of kind $kind names has a row (XP-16, XP-30)', (result) => {
  const exhausted = { ...failure(result), type: 'execution.exhausted' } as const;
  for (const event of [success(result), failure(result), exhausted]) {
    expect(digestsOf(referencesOf(event))).toEqual(digestsOf(digestsIn(event)));
  }
});

test('an older host lists no outputs; a checkpoint has a row; the rest names nothing', () => {
  const [old, older] = [prepared({ detail: a }), verified({ receipt: b })];
  expect(referencesOf(success(old))).toEqual(refer('detail', a));
  expect(referencesOf(success(older))).toEqual([
    ...refer('verdict', digest('verdict')),
    ...refer('receipt', b),
  ]);
  expect(referencesOf(failure(null))).toEqual([]);
  expect(referencesOf({ type: 'execution.cancel_requested', id })).toEqual([]);
  const checkpoint = { type: 'execution.checkpointed', id, body: a } as const;
  expect(referencesOf(checkpoint)).toEqual(refer('checkpoint', a));
});

test('criteria name their outputs once, and those without output none', () => {
  const criterion = (output: Digest | null) => ({ output }) as CriterionResult;
  expect(outputsOf([criterion(a), criterion(null), criterion(b), criterion(a)])).toEqual([a, b]);
});

const digestsOf = (references: readonly Reference[]) =>
  new Set(references.map((reference) => reference.digest));
