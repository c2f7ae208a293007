/**
 * What every Client promises, in one process and over HTTP: the same answers, the same errors, and
 * gates that only a human passes.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Client } from '../../src/ports/client.ts';
import type { Digest, ExecutionId, Principal, RunId } from '../../src/ports/words.ts';
import { type Bench, executed, plainDefinition, prepared, work } from '../sim/bench-of-one.ts';
import { ada, nothing } from '../sim/human.ts';

export interface OpenedClient {
  readonly bench: Bench;
  /** Speaks for a human. */
  readonly human: Client;
  /** Speaks for a program, whatever it says. */
  readonly program: Client;
  close(): Promise<void>;
}

const start = { definition: plainDefinition, detached: true, resumedFrom: null, from: null };
const cron: Principal = { kind: 'automation', actor: 'cron', channel: 'token', ancestry: null };

export function clientSuite(name: string, open: () => Promise<OpenedClient>): void {
  describe(`the client ${name}`, () => {
    let opened: OpenedClient;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(() => opened.close());
    looking(() => opened);
    acting(() => opened);
  });
}

/** A run that waits for the answer to its agent's question. */
async function parked({ human, bench }: OpenedClient): Promise<RunId> {
  const { id } = await human.start(start, ada);
  await work(bench, id, prepared);
  const text = await bench.engine.artifacts.put('which one?', 'question');
  await work(bench, id, { ...executed, outcome: 'question', commit: null, text });
  return id;
}

function looking(here: () => OpenedClient): void {
  test('a run is started, found by prefix and name, listed, and told by its events', async () => {
    const run = await here().human.start(start, ada);
    expect(run).toMatchObject({ status: 'active', phase: 'preparing' });
    const found = await here().human.find({ text: run.id.slice(0, 4), project: null });
    expect(found).toEqual(await here().bench.client.find({ text: run.id, project: null }));
    const every = { project: null, open: true, since: null, limit: 10, demo: true } as const;
    const listed = await here().human.list({ ...every, status: ['active'] });
    expect(listed.map(({ id }) => id)).toEqual([run.id]);
    expect(await here().human.list({ ...every, status: ['paused'] })).toEqual([]);
    const events = await here().human.events(run.id, 0, 100);
    expect(events).toEqual(await here().bench.client.events(run.id, 0, 100));
    const after = events[0]?.version ?? 0;
    expect(await here().human.events(run.id, after, 100)).toEqual(events.slice(1));
    expect(await here().human.definition(run.id)).toEqual(plainDefinition);
  });

  test('an artifact is its bytes, and null when it is not there', async () => {
    const bytes = Uint8Array.from([0, 255, 13, 10, 128]);
    const digest = await here().bench.engine.artifacts.put(bytes, 'output');
    expect(await here().human.artifact(digest)).toEqual(bytes);
    const other = `sha256:${'0'.repeat(64)}` as Digest;
    expect(await here().human.artifact(other)).toBeNull();
  });

  test('a log, the drivers and the audit are read', async () => {
    const { id } = await here().human.start(start, ada);
    const execution = `${id}.1` as ExecutionId;
    expect(await here().human.log(execution, 0, 10)).toEqual({ lines: [], ended: false });
    expect(await here().human.drivers()).toEqual([]);
    await here().human.ensureDriver();
  });
}

function acting(here: () => OpenedClient): void {
  test('a verb changes the run and answers with it', async () => {
    const id = await parked(here());
    expect(await here().human.answer(id, 'the first', ada)).toMatchObject({ status: 'active' });
    expect(await here().human.hint(id, 'look there', ada)).toMatchObject({ id });
    const cancelled = await here().human.cancel(id, 'enough', ada, true);
    expect(['cancelling', 'cancelled']).toContain(cancelled.status);
  });

  test('a council is asked of a parked run, which stays so; a bad name is refused (EV-7)', async () => {
    const id = await parked(here());
    const asked = await here().human.consult(id, ['oracle', 'test'], ada);
    expect(asked).toMatchObject({ status: 'needs_operator', reason: 'blocked_by_question' });
    const told = (await here().human.events(id, 0, 100)).map(({ event }) => event.type);
    expect(told.slice(-3)).toEqual(
      expect.arrayContaining(['opinion.asked', 'execution.dispatched']),
    );
    const bad = here().human.consult(id, ['council'], ada);
    await expect(bad).rejects.toMatchObject({ code: 'bad_value' });
  });

  test('errors are the same, with their codes', async () => {
    const unknown = here().human.find({ text: 'nosuchrun', project: null });
    await expect(unknown).rejects.toMatchObject({ code: 'run_not_found' });
    const { id } = await here().human.start(start, ada);
    const refused = here().human.accept(id, 'fine', ada);
    await expect(refused).rejects.toMatchObject({ code: 'wrong_verb' });
  });

  test('who is no human passes no gate, and the run keeps the refusal', async () => {
    const id = await parked(here());
    for (const verb of [
      () => here().program.resume(id, nothing, cron),
      () => here().program.accept(id, 'fine', cron),
      () => here().program.answer(id, 'yes', cron),
      () => here().program.consult(id, null, cron),
      () =>
        here().program.retry(
          id,
          { definition: plainDefinition, from: 'base', detached: true },
          cron,
        ),
      () =>
        here().program.land(
          id,
          { into: null, method: 'squash', message: null, reverify: true },
          cron,
        ),
    ]) {
      await expect(verb()).rejects.toMatchObject({ code: 'human_required' });
    }
    await here().program.recordRefusal(id, 'approve', cron);
    const after = await here().human.find({ text: id, project: null });
    expect(after).toMatchObject({ refusedGates: 7, status: 'needs_operator' });
  });
}
