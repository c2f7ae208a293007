/**
 * Goal: a chain that was rewritten from end to end is found out by the heads signed before.
 * Method: a store in memory, a driver's signing, a real key; the store's own audit then answers as
 * it would after each kind of tampering.
 */
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { operator, run, start } from '../../test/support/run-fixtures.ts';
import type { Digest, Instant } from '../domain/ids.ts';
import { WorldError } from '../kernel/errors.ts';
import type { KeptHead, RunRow, Store } from '../ports/store.ts';
import { memoryStore } from '../store/memory/memory-store.ts';
import { headSeal } from '../verify/heads.ts';
import { memorySigner } from '../verify/signer.ts';
import { auditStore } from './audit.ts';
import { runCommand } from './command.ts';
import { engine } from './engine.ts';
import { headSigner } from './sign-heads.ts';

const hash = '0'.repeat(64);
const now = 1_700_000_000_000 as Instant;

const digestOf = (bytes: Uint8Array | string) =>
  `sha256:${createHash('sha256').update(bytes).digest('hex')}` as Digest;

function world() {
  const text = Buffer.from('{"version":1}');
  const definition = digestOf(text);
  const kept = new Map<Digest, Buffer>([[definition, text]]);
  const own = engine({
    store: memoryStore(),
    artifacts: {
      put: async (bytes) => {
        const digest = digestOf(bytes);
        kept.set(digest, Buffer.from(bytes));
        return digest;
      },
      get: async (digest) => kept.get(digest) ?? null,
    },
    clock: { now: () => now, monotonicMs: () => 0, sleep: async () => {} },
    ids: { run: () => run, fraction: () => 0 } as never,
  });
  const seal = headSeal(memorySigner());
  let sealsMade = 0;
  const signer = headSigner(own, async () => {
    sealsMade += 1;
    return seal;
  });
  const issue = (request: Parameters<typeof runCommand>[3]) =>
    own.issue(runCommand(run, operator, now, request));
  return {
    own,
    kept,
    definition,
    seal,
    issue,
    sign: signer.signRested,
    sealsMade: () => sealsMade,
    begin: () => issue({ ...start(), definition } as never),
    cancel: () => issue({ type: 'cancel', note: '' }),
    audit: (tampered: (head: KeptHead) => KeptHead = (head) => head) => {
      const audit = async () => {
        const report = await own.store.audit();
        return { ...report, heads: report.heads.map(tampered) };
      };
      return auditStore({ ...own, store: { ...own.store, audit } }, async () => seal);
    },
  };
}

/** The definition has a digest as real ones have, and no row refers to it. */
function withoutReferences(store: Store): Pick<Store, 'events' | 'unreferenced'> {
  return {
    unreferenced: async (all) => all,
    events: async (...page) =>
      (await store.events(...page)).map((one) => ({
        ...one,
        event: 'definition' in one.event ? { ...one.event, definition } : one.event,
      })),
  };
}
const definition = `sha256:${hash}` as Digest;

test('what a run is shown as is held against the fold of its events, by run and column (C1)', async () => {
  const w = world();
  await w.begin();
  const look = async (change: (row: RunRow) => RunRow, gone = false) => {
    const store = {
      ...w.own.store,
      runs: async () => (await w.own.store.runs({ limit: 9 })).map(change),
      ...(gone ? withoutReferences(w.own.store) : {}),
    };
    return (await auditStore({ ...w.own, store }, async () => w.seal)).problems;
  };
  expect(await look((row) => row)).toEqual([]);
  expect(await look((row) => ({ ...row, status: 'complete' }))).toEqual([
    { stream: run, version: 3, what: 'the run is not shown as its events say: status' },
  ]);
  const forged = (row: RunRow) => {
    const changed = { ...row.aggregate.run, attempt: 7, note: 'x' } as RunRow['aggregate']['run'];
    return { ...row, aggregate: { run: changed, executions: [] } };
  };
  expect((await look(forged))[0]?.what).toBe(
    'the run is not shown as its events say: state.attempt, state.note, state.executions',
  );
  const named = (await look((row) => row, true)).map(({ what }) => what);
  expect(named).toContain(`references to its artifacts are gone: definition.sha256:${hash}`);
});

test('a run at work is not signed; one that ended is, once, whoever looks how often', async () => {
  const w = world();
  await w.begin();
  await w.sign();
  expect(w.sealsMade()).toBe(0);
  expect((await w.audit()).cannotProve[0]).toContain('the end of 1 of 1 streams is not signed');
  await w.cancel();
  await w.sign();
  await w.sign();
  const audited = await w.audit();
  expect(audited).toMatchObject({ streams: 1, problems: [] });
  const [head] = audited.heads;
  expect(head).toMatchObject({ stream: run, version: 5, at: now });
  expect(w.seal.open(head?.statement ?? '')).toMatchObject({ digest: head?.digest });
  // What no signature can prove is said even then.
  expect(audited.cannotProve).toEqual([expect.stringContaining('who can read the signing key')]);
  // The definition, and the one head.
  expect(w.kept.size).toBe(2);
});

test('what a run that had ended does later is signed anew, and the first head still holds', async () => {
  const w = world();
  await w.begin();
  await w.cancel();
  await w.sign();
  const refused = { type: 'record_refusal', command: 'cancel', refused: operator } as const;
  expect((await w.issue(refused)).kind).toBe('committed');
  expect((await w.audit()).cannotProve[0]).toContain('is not signed');
  await w.sign();
  const audited = await w.audit();
  expect(audited.problems).toEqual([]);
  expect(audited.heads).toHaveLength(2);
});

test('each way to rewrite what was signed is named with its stream and version', async () => {
  const w = world();
  await w.begin();
  await w.cancel();
  await w.sign();
  const [head] = (await w.own.store.audit()).heads;
  const named = { stream: run, version: head?.version };
  const problemOf = async (change: Partial<KeptHead>) =>
    (await w.audit((kept) => ({ ...kept, ...change }))).problems;
  const stranger = headSeal(memorySigner());
  const at = { stream: run, version: head?.version ?? 0, digest: head?.hash ?? '', at: now };
  const foreign = await w.own.artifacts.put(stranger.sign(at), 'receipt');
  const another = await w.own.artifacts.put(w.seal.sign({ ...at, version: 1 }), 'receipt');

  expect(await problemOf({ hash })).toEqual([
    { ...named, what: expect.stringContaining('the chain was rewritten') },
  ]);
  expect(await problemOf({ hash: null })).toEqual([
    { ...named, what: expect.stringContaining('the stream was cut or removed') },
  ]);
  expect(await problemOf({ hash: null, run: null })).toEqual([
    { ...named, what: expect.stringContaining('the stream was cut or removed') },
  ]);
  expect(await problemOf({ statement: foreign })).toEqual([
    { ...named, what: expect.stringContaining('not by the key of this installation') },
  ]);
  expect(await problemOf({ statement: another })).toEqual([
    { ...named, what: expect.stringContaining(`is that of ${run} version 1`) },
  ]);
});

test('a signed head that is gone accuses nobody and is said; a damaged one is a problem', async () => {
  const w = world();
  await w.begin();
  await w.cancel();
  await w.sign();
  const [signed] = (await w.own.store.audit()).heads;
  expect(w.kept.delete(signed?.statement as Digest)).toBe(true);
  const without = await w.audit();
  expect(without).toMatchObject({ heads: [], problems: [] });
  expect(without.cannotProve[0]).toContain('1 signed heads are not among the artifacts');
  const damaged = new WorldError('artifact_damaged', 'not what was stored');
  const artifacts = { ...w.own.artifacts, get: () => Promise.reject(damaged) };
  const audited = await auditStore({ ...w.own, artifacts }, async () => w.seal);
  expect(audited.problems).toContainEqual({
    ...{ stream: run, version: expect.any(Number), what: 'its signed head was changed' },
  });
  // Every other artifact of the run is read as well, and named with who refers to it.
  const what = `the bytes of definition, ${w.definition}, were changed`;
  expect(audited.problems).toContainEqual({ stream: run, version: null, what });
});

test('what a run refers to and is gone is a problem, named once with its digest (C1)', async () => {
  const w = world();
  await w.begin();
  expect((await w.audit()).problems).toEqual([]);
  w.kept.delete(w.definition);
  const what = `the bytes of definition, ${w.definition}, are gone`;
  expect((await w.audit()).problems).toEqual([{ stream: run, version: null, what }]);
});
