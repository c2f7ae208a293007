import { expect, test } from 'vitest';
import {
  bench,
  executed,
  holder,
  plainDefinition,
  prepared,
  sealOf,
  work,
} from '../../test/sim/bench-of-one.ts';
import { ada, impostor, nothing } from '../../test/sim/human.ts';
import type { Principal } from '../domain/principal/principal.ts';
import type { RunView } from '../ports/client.ts';

const start = { definition: plainDefinition, detached: true, resumedFrom: null, from: null };

const question = { ...executed, outcome: 'question', commit: null } as const;

/** A run that waits for the answer to its agent's question. */
async function parked() {
  const here = bench();
  const { id } = await here.client.start(start, ada);
  await work(here, id, prepared);
  const text = await here.engine.artifacts.put('which one?', 'question');
  await work(here, id, { ...question, text });
  const find = (): Promise<RunView> => here.client.find({ text: id, project: null });
  return { ...here, id, find };
}

test('a start answers when the first job is dispatched and somebody is asked to do it (EV-39)', async () => {
  const here = bench();
  const run = await here.client.start(start, ada);
  expect(run).toMatchObject({ status: 'active', phase: 'preparing', goal: 'goal 1' });
  expect(run.execution).toMatchObject({ n: 1, status: 'DISPATCHED' });
  expect(here.driversAsked()).toBe(1);
});

test('a gate verb of a lane is refused, recorded on the run, and changes nothing else', async () => {
  const here = await parked();
  const before = await here.find();
  for (const verb of [
    () => here.client.resume(here.id, nothing, impostor),
    () => here.client.accept(here.id, 'fine', impostor),
    () => here.client.answer(here.id, 'yes', impostor),
    () =>
      here.client.retry(
        here.id,
        { definition: plainDefinition, from: 'base', detached: true },
        impostor,
      ),
    () =>
      here.client.land(
        here.id,
        { into: null, method: 'squash', message: null, reverify: true },
        impostor,
      ),
  ]) {
    await expect(verb()).rejects.toMatchObject({ code: 'human_required' });
  }
  const after = await here.find();
  expect(after.refusedGates).toBe(5);
  expect(after).toMatchObject({ status: 'needs_operator', reason: before.reason });
  await expect(here.client.prune([], impostor)).rejects.toMatchObject({ code: 'human_required' });
});

test('a parked run shows its options, and an answer carries on with the text in the prompt', async () => {
  const here = await parked();
  const run = await here.find();
  expect(run).toMatchObject({ status: 'needs_operator', reason: 'blocked_by_question' });
  expect(run.options[0]?.command).toBe(`pawl answer ${run.short} "…"`);
  const answered = await here.client.answer(here.id, 'the second one', ada);
  const execution = answered.execution?.id;
  if (execution === undefined) throw new Error('nothing was dispatched');
  const holder = { worker: 'here', bootId: 'b', pid: 7, started: 1 };
  const claimed = await here.plane.claim({ execution, holder, nonce: 'n' });
  expect(claimed.ok && claimed.dispatch.prompt).toContain('You asked: which one?');
  expect(claimed.ok && claimed.dispatch.prompt).toContain('The answer: the second one');
});

/** A run whose lane waits for leave, a second time: its first request was allowed. */
async function asking() {
  const here = bench();
  const { id } = await here.client.start(start, ada);
  await work(here, id, prepared);
  const find = (): Promise<RunView> => here.client.find({ text: id, project: null });
  const execution = (await find()).execution?.id;
  if (execution === undefined) throw new Error('nothing was dispatched');
  const claimed = await here.plane.claim({ execution, holder, nonce: 'n' });
  if (!claimed.ok) throw new Error(claimed.reason);
  const granted = { execution, grantId: claimed.grantId };
  await here.plane.start({ ...granted, rung: 'x', pid: 7 });
  const ask = (request: string) =>
    here.plane.ask({
      ...granted,
      ask: { request, tool: 'Bash', title: 'push', args: request, definition: 'd' },
    });
  return { ...here, id, find, ask };
}

test('an answer is to the call that was shown, and to no later one (A1, L-H5)', async () => {
  const here = await asking();
  await here.ask('p1');
  const first = (await here.find()).gate?.approval ?? null;
  await here.client.resolveGate(here.id, { approval: first, outcome: 'approved', note: null }, ada);
  await here.ask('p2');
  const { gate } = await here.find();
  expect(gate).toMatchObject({ kind: 'permission', approval: `${here.id}.a2` });
  const late = { approval: first, outcome: 'approved', note: null } as const;
  await expect(here.client.resolveGate(here.id, late, ada)).rejects.toMatchObject({
    code: 'already_resolved',
  });
  expect((await here.find()).gate).toEqual(gate);
});

test.each([undefined, true] as const)(
  'how far a yes reaches is in the record: forRun %s',
  async (forRun) => {
    const here = await asking();
    await here.ask('p1');
    const approval = (await here.find()).gate?.approval ?? null;
    const reach = forRun === undefined ? {} : { forRun };
    const said = { approval, outcome: 'approved', note: null, ...reach } as const;
    await here.client.resolveGate(here.id, said, ada);
    const events = (await here.client.events(here.id, 0, 100)).map(({ event }) => event);
    const answered = events.find(({ type }) => type === 'permission.answered');
    expect(answered).toMatchObject({
      ...{ decision: 'allow', why: 'approved' },
      grant: { approval, scope: forRun === true ? 'run' : 'once' },
    });
  },
);

test('a gate passed from a terminal of unknown ancestry is let through and shown', async () => {
  const here = await parked();
  const unknown: Principal = { ...ada, ancestry: 'unknown' };
  const run = await here.client.answer(here.id, 'the second one', unknown);
  expect(run.ancestryUnknown).toContain('answer');
});

test('retry ends the parked run and starts a new one, never the same again (EV-52, XP-23)', async () => {
  const here = await parked();
  const request = { definition: plainDefinition, from: 'base', detached: true } as const;
  const next = await here.client.retry(here.id, request, ada);
  expect(next.id).not.toBe(here.id);
  expect((await here.find()).status).toBe('cancelled');
  const [first] = await here.client.events(next.id, 0, 1);
  expect(first?.event).toMatchObject({ type: 'run.started', resumedFrom: here.id });
});

test('a working run cannot be retried, and the refusal says what fits', async () => {
  const here = bench();
  const { id, short } = await here.client.start(start, ada);
  const request = { definition: plainDefinition, from: 'base', detached: true } as const;
  await expect(here.client.retry(id, request, ada)).rejects.toMatchObject({
    code: 'wrong_verb',
    details: { next: `pawl cancel ${short}` },
  });
});

test('a cancel is durable and quiet: no error is counted, history stays (EV-12, EV-49, XP-19, XP-20)', async () => {
  const here = bench();
  const { id } = await here.client.start(start, ada);
  await work(here, id, prepared);
  const run = await here.client.cancel(id, 'enough', ada);
  expect(run).toMatchObject({ status: 'cancelled', cancelCause: 'cancelled', detail: 'enough' });
  expect(run.counters.totalErrors).toBe(0);
  const types = (await here.client.events(id, 0, 100)).map(({ event }) => event.type);
  expect(types).toContain('baseline.recorded');
  expect(types).not.toContain('run.parked');
});

test('a run is named by prefix, whole id, unique name or @last', async () => {
  const here = bench();
  const first = await here.client.start(start, ada);
  here.pass(1_000);
  const named = { ...plainDefinition, name: 'other' };
  const second = await here.client.start({ ...start, definition: named }, ada);
  const find = (text: string) => here.client.find({ text, project: '/sim' });
  expect((await find(first.id)).id).toBe(first.id);
  expect((await find(first.id.slice(0, 3))).id).toBe(first.id);
  expect((await find('other')).id).toBe(second.id);
  expect((await find('@last')).id).toBe(second.id);
  expect(first.short).toBe(first.id.slice(0, 4));
  await expect(find('zz')).rejects.toMatchObject({ code: 'run_not_found' });
  const third = await here.client.start({ ...start, definition: named }, ada);
  await expect(find('other')).rejects.toMatchObject({
    code: 'ambiguous_run',
    details: { facts: { candidates: expect.arrayContaining([second.id, third.id]) } },
  });
});

test('what no run can have is refused before anything is written (EV-32)', async () => {
  const here = bench();
  const { execute } = plainDefinition.roles;
  const definition = { ...plainDefinition, roles: { execute, verify: execute } };
  await expect(here.client.start({ ...start, definition }, ada)).rejects.toMatchObject({
    code: 'bad_value',
  });
  expect(await here.client.list({ ...everything, demo: true })).toEqual([]);
});

test('runs of a demo are listed only when they are asked for', async () => {
  const here = bench();
  const project = { ...plainDefinition.project, kind: 'demo' } as const;
  await here.client.start({ ...start, definition: { ...plainDefinition, project } }, ada);
  expect(await here.client.list(everything)).toEqual([]);
  expect(await here.client.list({ ...everything, demo: true })).toHaveLength(1);
});

const everything = {
  project: null,
  open: false,
  status: [],
  since: null,
  limit: 10,
  demo: false,
} as const;

test('a bug in one command parks its run and leaves the others', async () => {
  const here = bench();
  const one = await here.client.start(start, ada);
  const two = await here.client.start(start, ada);
  const broken = here.engine.issue({
    kind: 'run',
    run: one.id,
    at: here.engine.clock.now(),
    actor: 'ada',
    principal: ada,
    // Not a command: what a decider makes of it is a bug of ours.
    command: {
      type: 'hint',
      text: sealOf('x'),
      get principal(): never {
        throw new Error('a bug');
      },
    } as never,
  });
  await expect(broken).rejects.toThrow('a bug');
  const find = (text: string) => here.client.find({ text, project: null });
  expect(await find(one.id)).toMatchObject({ status: 'needs_operator', reason: 'internal_error' });
  expect(await find(two.id)).toMatchObject({ status: 'active' });
});
