/**
 * Goal: whatever a run is parked for, its page is kept as an artifact that one event names, once
 * for each parking, whoever dies when; what cannot be kept yet stands in nobody's way.
 * Method: one engine over a store in memory; a driver that dies is a keeper that is never heard of
 * again.
 */
import { describe, expect, test } from 'vitest';
import {
  type Bench,
  bench,
  executed,
  plainDefinition,
  prepared,
  work,
} from '../../test/sim/bench-of-one.ts';
import { ada } from '../../test/sim/human.ts';
import { parkFor } from '../../test/support/park-for.ts';
import { escalationIn } from '../contract/escalation.ts';
import type { RunId } from '../domain/ids.ts';
import { type ParkReason, parkReasons } from '../domain/run/state.ts';
import { driverPrincipal, runCommand } from './command.ts';
import type { Engine } from './engine.ts';
import { escalationKeeper } from './escalations.ts';
import { timerPuller } from './timers.ts';

const reasons: readonly ParkReason[] = Object.values(parkReasons).flat();
const start = { definition: plainDefinition, detached: true, resumedFrom: null, from: null };

async function working() {
  const here = bench();
  const { id } = await here.client.start(start, ada);
  await work(here, id, prepared);
  return { here, id };
}

async function asked() {
  const { here, id } = await working();
  const text = await here.engine.artifacts.put('which one?', 'question');
  await work(here, id, { ...executed, outcome: 'question', commit: null, text });
  return { here, id };
}

const line = (seq: number, text: string) =>
  JSON.stringify({ seq, ms: seq, at: seq, kind: 'stdout', text });
const journal = `${line(1, 'read src/parse.ts\n')}\n${line(2, '\u001b[31mred\u001b[0m warning\n')}\n`;

/** A driver of its own, as far as pages go. */
function keeper(engine: Engine, readSpool = async (): Promise<string | null> => journal) {
  const lines: string[] = [];
  const log = (text: string) => lines.push(text);
  const { pull } = timerPuller(engine, {
    log,
    escalations: escalationKeeper({ engine, readSpool, log }),
  });
  return { pull, lines };
}

async function pagesOf({ engine }: Pick<Bench, 'engine'>, run: RunId) {
  const events = (await engine.store.events(run, 0, 1_000)).map(({ event }) => event);
  const digests = events.flatMap((event) =>
    event.type === 'escalation.recorded' ? [event.escalation] : [],
  );
  const texts = await Promise.all(digests.map((digest) => engine.artifacts.get(digest)));
  return texts.map((bytes) => escalationIn(new TextDecoder().decode(bytes ?? new Uint8Array())));
}

describe.each(reasons)('%s', (reason) => {
  test('one artifact and one event, and nothing is due any more (RR-32, RR-47)', async () => {
    const { here, id } = await working();
    await parkFor(here.engine, id, reason);
    const before = await here.client.find({ text: id, project: null });
    const { pull, lines } = keeper(here.engine);
    await pull();
    await pull();
    expect(await pagesOf(here, id)).toMatchObject([
      {
        ...{ schema: 'pawl.escalation/1', run: id, reason, since: before.since },
        ...{ job: { role: 'execute', attempt: 1 }, options: before.options },
        evidence: { printed: ['read src/parse.ts', 'red warning'] },
      },
    ]);
    expect(await here.engine.store.timersOf(id)).toEqual([]);
    expect(lines).toEqual([]);
    const { version, updatedAt, escalation, ...after } = await here.client.find({
      text: id,
      project: null,
    });
    const { version: _, updatedAt: __, ...was } = before;
    expect(after).toEqual(was);
    expect(escalation).toMatch(/^sha256:/);
    expect(await here.engine.store.refers(id, escalation as NonNullable<typeof escalation>)).toBe(
      true,
    );
  });
});

test('a driver that died before its event is followed by one that makes it up, once', async () => {
  const { here, id } = await asked();
  const dead = { ...here.engine, issue: () => new Promise<never>(() => {}) };
  const gone = keeper(dead).pull();
  await expect(Promise.race([gone, settledSoon()])).resolves.toBe('not yet');
  expect(await pagesOf(here, id)).toEqual([]);
  await keeper(here.engine).pull();
  await keeper(here.engine).pull();
  expect(await pagesOf(here, id)).toMatchObject([{ text: 'which one?' }]);
});

async function settledSoon(): Promise<string> {
  for (let turn = 0; turn < 500; turn += 1) await Promise.resolve();
  return 'not yet';
}

test('two that make it at the same moment keep it once', async () => {
  const { here, id } = await asked();
  await Promise.all([
    keeper(here.engine).pull(),
    keeper(here.engine, async () => null).pull(),
    keeper(here.engine).pull(),
  ]);
  expect(await pagesOf(here, id)).toHaveLength(1);
});

test('each parking has a page of its own; a run that goes on before it was made needs none', async () => {
  const { here, id } = await asked();
  const { pull } = keeper(here.engine);
  await pull();
  here.pass(1_000);
  await here.client.answer(id, 'the first', ada);
  expect((await here.client.find({ text: id, project: null })).escalation).toBeUndefined();
  const text = await here.engine.artifacts.put('and now?', 'question');
  await work(here, id, { ...executed, outcome: 'question', commit: null, text });
  here.pass(1_000);
  await here.client.answer(id, 'that, too', ada);
  await pull();
  expect(await pagesOf(here, id)).toHaveLength(1);
  await work(here, id, { ...executed, outcome: 'question', commit: null, text });
  await pull();
  expect(await pagesOf(here, id)).toMatchObject([{ text: 'which one?' }, { text: 'and now?' }]);
});

test('what was made for one parking is not kept for the next', async () => {
  const { here, id } = await asked();
  const { engine } = here;
  const since = (await here.client.find({ text: id, project: null })).since;
  here.pass(1_000);
  await here.client.answer(id, 'the first', ada);
  await work(here, id, { ...executed, outcome: 'question', commit: null, text: null });
  const escalation = await engine.artifacts.put('the page of before', 'escalation');
  const late = { type: 'record_escalation', since: since as never, escalation } as const;
  await engine.issue(runCommand(id, driverPrincipal, engine.clock.now(), late));
  expect(await pagesOf(here, id)).toEqual([]);
});

test('a page that cannot be kept is tried again, and holds up no deadline (RR-13)', async () => {
  const { here, id } = await asked();
  let isFull = true;
  const put: Engine['artifacts']['put'] = async (bytes, kind) => {
    if (isFull) throw new Error('ENOSPC: no space left on device');
    return here.engine.artifacts.put(bytes, kind);
  };
  const { pull, lines } = keeper({ ...here.engine, artifacts: { ...here.engine.artifacts, put } });
  await pull();
  await pull();
  expect(lines).toEqual([`${id} escalation: ENOSPC: no space left on device`]);
  isFull = false;
  await pull();
  expect(await pagesOf(here, id)).toEqual([]);
  here.pass(15_000);
  await pull();
  expect(await pagesOf(here, id)).toHaveLength(1);
});

test('pages that are due without end leave room for every deadline', async () => {
  const { here } = await asked();
  const limits: number[] = [];
  const pages = Array.from({ length: 300 }, (_, n) => ({
    ...{ run: `r${n}` as RunId, kind: 'escalation', generation: 0, dueAt: here.engine.clock.now() },
  })) as never[];
  const store = {
    ...here.engine.store,
    timersDue: async (_: unknown, limit: number) => {
      limits.push(limit);
      return pages.slice(0, limit);
    },
    runs: () => Promise.reject(new Error('away')),
  };
  const { pull } = keeper({ ...here.engine, store });
  for (let round = 0; round < 4; round += 1) await pull();
  expect(limits).toEqual([128, 256, 384, 428]);
});

test('where other drivers are, one that has no log of the lane leaves it to them for a minute', async () => {
  const { here, id } = await asked();
  const seat = (n: number) => ({ seat: `driver:${n}` }) as never;
  const store = { ...here.engine.store, isShared: true, seats: async () => [seat(1), seat(2)] };
  const other = keeper({ ...here.engine, store }, async () => null);
  await other.pull();
  here.pass(15_000);
  await other.pull();
  expect(await pagesOf(here, id)).toEqual([]);
  here.pass(60_000);
  await other.pull();
  expect(await pagesOf(here, id)).toMatchObject([{ evidence: { printed: [] } }]);
});
