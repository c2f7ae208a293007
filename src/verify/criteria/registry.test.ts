import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { check, definitionWith, verifier } from '../../../test/support/verifier.ts';
import type { CriterionKind } from './kind.ts';
import { criterionKinds } from './registry.ts';

vi.setConfig({ testTimeout: 60_000 });

let v: ReturnType<typeof verifier>;
afterEach(() => v.remove());

/** The whole of a new kind: a folder may hold at most so many bytes. */
const sizeKind: CriterionKind = {
  kind: 'size',
  judgedBy: 'runtime',
  what: (criterion) => `at most ${'max' in criterion ? criterion.max : '?'} bytes`,
  check: async (criterion, scene) => {
    const run = await scene.run('cat * | wc -c', criterion.timeoutMs);
    const good = 'max' in criterion && Number(run.text) <= Number(criterion.max);
    return {
      outcome: good ? 'passed' : 'failed',
      unrunnable: null,
      repeatable: false,
      isKilled: false,
      score: null,
      reasons: good ? [] : [`${run.text.trim()} bytes`],
      exit: null,
      counts: null,
      durationMs: run.durationMs,
      output: run.output,
      excerpt: run.text,
      containment: null,
    };
  },
};

beforeEach(() => {
  v = verifier({ kinds: [...criterionKinds, sizeKind] });
});

test('a new kind of criterion is one file and one line of the registry (EV-69)', async () => {
  const base = v.commit({ a: '12345' });
  const work = v.commit({ a: '123' });
  const size = { kind: 'size', max: 4, timeoutMs: 10_000 } as const;
  const definition = definitionWith(v.root, base, {
    criteria: [check('true'), size as unknown as ReturnType<typeof check>],
  });
  const baseline = await v.checks.baseline(v.request(definition, null));
  expect(baseline).toMatchObject({ baseline: 'red', summary: 'at most 4 bytes fails' });
  const verdict = await v.checks.verify(v.request(definition, work));
  expect(verdict.outcome).toBe('passed');
  expect((await v.predicate(verdict.receipt)).criteria.map((one) => one.kind)).toEqual([
    'test',
    'size',
  ]);
});

test('every kind of EV-17 is there; lanes and humans judge what the runtime cannot (EV-18, EV-19, EV-40, ruling 14)', async () => {
  const by = Object.fromEntries(criterionKinds.map((one) => [one.kind, one.judgedBy]));
  expect(by).toEqual({
    test: 'runtime',
    build: 'runtime',
    lint: 'runtime',
    command: 'runtime',
    fileExists: 'runtime',
    oracle: 'lane',
    observer: 'lane',
    manual: 'human',
  });
  const base = v.commit({ a: '1' });
  const work = v.commit({ a: '2' });
  const unknown = { kind: 'mystery', timeoutMs: 1 } as unknown as ReturnType<typeof check>;
  const manual = { kind: 'manual', look: 'at it', timeoutMs: 1 } as const;
  for (const one of [unknown, manual]) {
    const definition = definitionWith(v.root, base, { criteria: [one] });
    expect((await v.checks.verify(v.request(definition, work))).outcome).toBe('indeterminate');
  }
});
