/** Goal: what a view says of time is the time that the brakes count, whatever happened between. */
import { expect, test } from 'vitest';
import {
  bench,
  commit,
  executed,
  holder,
  plainDefinition,
  prepared,
  sealOf,
  work,
} from '../../test/sim/bench-of-one.ts';
import { ada } from '../../test/sim/human.ts';
import {
  checks,
  executed as executedTurn,
  manual,
  runAfter,
  sealed,
  working,
} from '../../test/support/run-fixtures.ts';
import type { JobResult } from '../domain/execution/state.ts';
import type { Digest, Instant, RunId } from '../domain/ids.ts';
import { retriedAs, retriedNote } from '../domain/run/retried.ts';
import type { RunTerms } from '../domain/run/state.ts';
import { WorldError } from '../kernel/errors.ts';
import { notCarried } from '../ports/source.ts';
import { planeWorkers } from './plane-workers.ts';
import { optionsOf } from './view.ts';

test('active time grows while a run works, and stands while it waits for a human (UX 4.2)', async () => {
  const here = bench();
  const { id } = await here.client.start(
    { definition: plainDefinition, detached: true, resumedFrom: null, from: null },
    ada,
  );
  const activeMs = async () => (await here.client.find({ text: id, project: null })).spent.activeMs;
  await work(here, id, prepared);
  const began = await activeMs();
  here.pass(60_000);
  expect(await activeMs()).toBe(began + 60_000);
  const text = await here.engine.artifacts.put('which one?', 'question');
  await work(here, id, { ...executed, outcome: 'question', commit: null, text });
  const parked = await activeMs();
  here.pass(8 * 3_600_000);
  expect(await activeMs()).toBe(parked);
  await here.client.answer(id, 'the second', ada);
  here.pass(5_000);
  expect(await activeMs()).toBe(parked + 5_000);
});

test('a retry and the run that it takes the place of name each other (UX 2.4)', async () => {
  const here = bench();
  const start = { definition: plainDefinition, detached: true, resumedFrom: null, from: null };
  const old = await here.client.start(start, ada);
  await work(here, old.id, prepared);
  const text = await here.engine.artifacts.put('which one?', 'question');
  await work(here, old.id, { ...executed, outcome: 'question', commit: null, text });
  const request = { definition: plainDefinition, from: 'base', detached: true } as const;
  const next = await here.client.retry(old.id, request, ada);
  expect(old.resumedFrom).toBeUndefined();
  expect(next.resumedFrom).toBe(old.id);
  const ended = await here.client.find({ text: old.id, project: null });
  expect(ended).toMatchObject({ status: 'cancelled', retriedAs: next.id });
  const events = await here.client.events(old.id, 0, 100);
  expect(events.at(-1)?.event).toMatchObject({ type: 'run.cancelled', retriedAs: next.id });
});

test('an older record told of its retry by its note alone, and a note of a person tells of none', () => {
  const id = 'p0neaaaaaaaa' as RunId;
  const ended = { type: 'run.cancelled', cause: 'cancelled', unproven: [] } as const;
  const said = (note: string) => retriedAs({ ...ended, at: 1 as Instant, note });
  expect(said(retriedNote(id))).toBe(id);
  expect([said('retried as planned'), said('enough'), said('')]).toEqual([null, null, null]);
  expect(retriedAs({ ...ended, at: 1 as Instant, note: 'over', retriedAs: id })).toBe(id);
  // Whoever cancels writes the note.
  expect(
    retriedAs({ ...ended, at: 1 as Instant, note: retriedNote(id), retriedAs: null }),
  ).toBeNull();
});

test('where calls were refused it is offered to allow more, unless it has all (L-H15)', async () => {
  const here = bench();
  const refused = { count: 1, tool: null, call: 'git push', why: 'deny' } as const;
  const text = await here.engine.artifacts.put('which one?', 'question');
  const asks = { ...executed, outcome: 'question', commit: null, text } as const;
  const before = { ...asks, outcome: 'invalid_result', text: null, refused };
  const offered = async (permissions: 'workspace' | 'trusted', ...ends: readonly object[]) => {
    const definition = { ...plainDefinition, permissions };
    const start = { definition, detached: true, resumedFrom: null, from: null };
    const { id } = await here.client.start(start, ada);
    await work(here, id, prepared);
    for (const end of ends) await work(here, id, { ...asks, ...end });
    const { options } = await here.client.find({ text: id, project: null });
    return options.some(({ command }) => command.includes('--permissions trusted'));
  };
  expect(await offered('workspace', { refused })).toBe(true);
  expect(await offered('trusted', { refused })).toBe(false);
  expect(await offered('workspace', {})).toBe(false);
  // Of the attempt before it says nothing of this one.
  expect(await offered('workspace', before, {})).toBe(false);
});

test('what --restore leads to is said: the checks, or a turn of the agent first', () => {
  const lookOf = (steps: RunTerms['steps']) => {
    const findings = [{ kind: 'drift', paths: ['a'], more: 0 }] as const;
    const run = runAfter(...working({ steps }), sealed(2, executedTurn({ findings })));
    return optionsOf(run, { short: '7k2m', definition: null }).slice(0, 2);
  };
  const text = (effect: string) => ({ command: 'pawl resume 7k2m --restore', effect });
  const allow = {
    command: 'pawl resume 7k2m --allow a',
    effect: 'these changes are right: verify them too',
  };
  expect(lookOf([checks])).toEqual([text('put these files back, verify the rest'), allow]);
  expect(lookOf([manual])).toEqual([text('put these files back, then the agent goes on'), allow]);
});

test('what no worker can be given is offered to none', async () => {
  const here = bench();
  const workers = planeWorkers(here.engine);
  await workers.addCode({ digest: 'd', expiresAt: (here.engine.clock.now() + 1_000) as Instant });
  const box = { id: 'w-box', name: 'box', publicKey: 'k', labels: [], slots: 1 };
  await workers.enrol({ codeDigest: 'd', ...box });
  const parked = async (detail: string) => {
    const start = { definition: plainDefinition, detached: true, resumedFrom: null, from: null };
    const { id } = await here.client.start(start, ada);
    const failed = { kind: 'failed', class: 'dispatch_failed', detail, proof: 'kernel' } as const;
    await work(here, id, { ...failed, commit: null, usage: null, text: null });
    const { reason, options } = await here.client.find({ text: id, project: null });
    expect(reason).toBe('dispatch_failed');
    return options.some(({ command }) => command.endsWith(' --on w-box'));
  };
  expect(await parked('no such program')).toBe(true);
  expect(await parked(`${notCarried} (the repository is a shallow clone)`)).toBe(false);
});

test('only a worker that is there is offered, and what stands on a tree of one is not', async () => {
  const here = bench();
  const workers = planeWorkers(here.engine);
  for (const name of ['one', 'two']) {
    await workers.addCode({
      digest: name,
      expiresAt: (here.engine.clock.now() + 1_000) as Instant,
    });
    // Two machines of one name: it was enrolled again.
    const box = { id: `w-${name}`, name: 'box', publicKey: 'k', labels: [], slots: 1 };
    await workers.enrol({ codeDigest: name, ...box });
  }
  const start = { definition: plainDefinition, detached: true, resumedFrom: null, from: null };
  const ended = async (result: JobResult) => {
    const { id } = await here.client.start(start, ada);
    await work(here, id, prepared);
    const execution = (await here.client.find({ text: id, project: null })).execution?.id;
    if (execution === undefined) throw new Error('nothing is open');
    const on = { ...holder, worker: 'w-one' };
    const claim = await here.plane.claim({ execution, holder: on, nonce: `nonce ${execution}` });
    if (!claim.ok) throw new Error(claim.reason);
    const { grantId } = claim;
    await here.plane.result({ execution, grantId, seal: sealOf(execution), result });
    return id;
  };
  const denied = await ended({ ...executed, outcome: 'permission_denied', commit: null });
  const { options } = await here.client.find({ text: denied, project: null });
  expect(options.map(({ command }) => command).join('\n')).not.toMatch(/pawl path|--from last/);
  const failed = { kind: 'failed', class: 'workspace_lost', detail: 'x', proof: 'kernel' } as const;
  const id = await ended({ ...failed, commit: null, usage: null, text: null });
  const seen = async () => here.client.find({ text: id, project: null });
  const commands = async () => (await seen()).options.map(({ command }) => command).join('\n');
  expect(await seen()).toMatchObject({ worker: { id: 'w-one', name: 'box' } });
  expect(await commands()).toContain(' --on w-two');
  here.pass(10 * 60_000);
  expect(await commands()).not.toContain(' --on ');
  const sent = (word: string) => here.client.resume(id, { ...resuming, on: word }, ada);
  await expect(sent('box')).rejects.toThrow('several workers are known as "box"');
  await workers.seen('w-two', { labels: [], slots: 1 });
  expect(await commands()).toContain(' --on w-two');
  await sent('box');
  const { event } = (await here.client.events(id, 0, 100)).findLast(
    (stored) => stored.event.type === 'run.resumed',
  ) ?? { event: null };
  expect(event).toMatchObject({ on: 'w-two' });
});

const resuming = {
  ...{ grants: {}, hint: null, verifyNow: null, restore: false, allow: [], happened: null },
  ...{ fresh: true, now: false, fromAttempt: null },
} as const;

test('a receipt whose bytes are others, or gone, is told of where the work could be landed', async () => {
  const here = bench();
  const start = { definition: plainDefinition, detached: true, resumedFrom: null, from: null };
  const { id } = await here.client.start(start, ada);
  await work(here, id, prepared);
  await work(here, id, executed);
  const receipt = await here.engine.artifacts.put('{}', 'receipt');
  const measured = { score: null, failedTests: null, passedTests: null, flaky: false };
  const facts = { outcome: 'passed', summary: 'all pass', receipt, commit, ...measured } as const;
  await work(here, id, { kind: 'verified', verdict: sealOf('v'), facts });
  const seen = () => here.client.find({ text: id, project: null });
  expect(await seen()).toMatchObject({ status: 'complete', verification: 'passed', receipt });
  expect((await seen()).receiptDamaged).toBeUndefined();
  const { get } = here.artifacts;
  const bent = async (digest: Digest) => {
    if (digest === receipt) throw new WorldError('artifact_damaged', 'other bytes');
    return get(digest);
  };
  Object.assign(here.artifacts, { get: bent });
  expect((await seen()).receiptDamaged).toBe(true);
  const gone = async (digest: Digest) => (digest === receipt ? null : get(digest));
  Object.assign(here.artifacts, { get: gone });
  expect((await seen()).receiptDamaged).toBe(true);
});
