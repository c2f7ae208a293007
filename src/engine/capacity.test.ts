import { expect, test } from 'vitest';
import {
  type Bench,
  bench,
  executed,
  holder,
  plainDefinition,
  prepared,
  work,
} from '../../test/sim/bench-of-one.ts';
import { ada } from '../../test/sim/human.ts';
import type { ExecutionId, Instant, RunId } from '../domain/ids.ts';
import { capacity } from './capacity.ts';
import { driverPrincipal, runCommand } from './command.ts';
import { dispatcher } from './dispatch.ts';

function puller(here: Bench) {
  const started: string[] = [];
  const lanes = {
    start: async ({ run }: { readonly run: string }) => {
      started.push(run);
    },
    sealLeft: async () => null,
    ensureCheckHost: async () => {},
    look: async () => ({ state: 'alive' }) as const,
    end: async () => ({ strength: 'kernel', rung: 'x', gaps: [] }) as const,
    forget: async () => {},
  };
  const dispatch = dispatcher({ engine: here.engine, lanes, offerMs: 10_000, log: () => {} });
  const pull = async (ms = 1_000): Promise<readonly string[]> => {
    here.pass(ms);
    await dispatch.pull();
    return started.splice(0);
  };
  return pull;
}

async function ready(here: Bench, group: string, max = 1): Promise<string> {
  here.pass(1);
  const definition = { ...plainDefinition, concurrency: { group, max } };
  const start = { definition, detached: true, resumedFrom: null, from: null };
  const { id } = await here.client.start(start, ada);
  await work(here, id, prepared);
  return id;
}
const find = (here: Bench, text: string) => here.client.find({ text, project: null });
const turn = (here: Bench, run: string) => work(here, run as never, executed);

test('a full group is a queue: first started, first served, over all projects', async () => {
  const here = bench();
  const pull = puller(here);
  const runs = [await ready(here, 'web'), await ready(here, 'web'), await ready(here, 'web')];
  const [first = '', second = '', third = ''] = runs;
  expect(await pull()).toEqual([first]);
  expect((await find(here, second)).waiting).toMatchObject({
    reason: 'no_capacity',
    detail: 'group web: 1 of 1 busy, 0 before it',
  });
  expect((await find(here, third)).waiting?.detail).toBe('group web: 1 of 1 busy, 1 before it');
  await turn(here, first);
  const late = await ready(here, 'web');
  expect(await pull()).toEqual([second]);
  expect((await find(here, third)).waiting?.detail).toBe('group web: 1 of 1 busy, 0 before it');
  await turn(here, second);
  expect(await pull()).toEqual([third]);
  expect((await find(here, late)).waiting?.detail).toBe('group web: 1 of 1 busy, 0 before it');
});

test('a slot that came free is not taken by a later run before the queue was looked at', async () => {
  const here = bench();
  const pull = puller(here);
  const first = await ready(here, 'web');
  const second = await ready(here, 'web');
  await pull();
  await pull();
  await turn(here, first);
  await ready(here, 'web');
  expect(await pull(0)).toEqual([]);
  expect(await pull()).toEqual([second]);
});

test('groups do not hold up one another', async () => {
  const here = bench();
  const pull = puller(here);
  const [web, queued, api] = [
    await ready(here, 'web'),
    await ready(here, 'web'),
    await ready(here, 'api'),
  ];
  expect(await pull()).toEqual([web, api]);
  expect(await find(here, queued)).toMatchObject({ phase: 'waiting' });
});

test('nobody starves behind runs that are started without end', async () => {
  const here = bench();
  const pull = puller(here);
  let working = await ready(here, 'web');
  await pull();
  const patient = await ready(here, 'web');
  await pull();
  for (let more = 0; more < 3; more += 1) await ready(here, 'web');
  await turn(here, working);
  [working = ''] = await pull();
  expect(working).toBe(patient);
});

test('the wait spends no attempt and nothing of the time that is for limits', async () => {
  const here = bench();
  const pull = puller(here);
  const first = await ready(here, 'web');
  const second = await ready(here, 'web');
  await pull();
  here.pass(7_200_000);
  await turn(here, first);
  expect(await pull()).toEqual([second]);
  const { counters, spent } = await find(here, second);
  expect(counters).toMatchObject({ attempts: 0, totalErrors: 0 });
  expect(spent.waitedMs).toBe(0);
  expect(spent.queuedMs).toBeGreaterThan(7_000_000);
});

test('a queue has an end: longer than the waiting time of the run it is parked', async () => {
  const here = bench();
  const pull = puller(here);
  await ready(here, 'web');
  const second = await ready(here, 'web');
  await pull();
  const { waitTimeMs } = plainDefinition.brakes;
  here.pass(waitTimeMs + 1);
  const { waiting } = await find(here, second);
  const due = await here.engine.store.timersDue((waiting?.until ?? 0) as never, 10);
  const timer = due.find(({ run }) => run === second);
  const fire = { type: 'fire_timer', kind: 'wait', generation: timer?.generation ?? 0 } as const;
  const { driverPrincipal, runCommand } = await import('./command.ts');
  const now = here.engine.clock.now();
  await here.engine.issue(runCommand(second as never, driverPrincipal, now, fire));
  await pull();
  expect(await find(here, second)).toMatchObject({ reason: 'wait_exhausted' });
});

test('who stands in a queue is known by a field, whatever the words of another wait (EV-39)', async () => {
  const here = bench();
  const run = await ready(here, 'web');
  const detail = 'group budgets of the machine cannot be read';
  const until = (here.engine.clock.now() + 1_000) as Instant;
  const tell = (id: string, more: object) => {
    const said = { type: 'no_capacity', until, detail, ...more } as const;
    const now = here.engine.clock.now();
    return here.engine.issue(runCommand(id as RunId, driverPrincipal, now, said));
  };
  await tell(run, {});
  expect((await find(here, run)).waiting?.detail).toBe(detail);
  const other = await ready(here, 'web');
  await tell(other, { slot: true });
  expect((await find(here, other)).waiting?.detail).toBe('group web: 1 of 1 busy, 1 before it');
});

test('a group is over its size by what is offered and what works, not by what waits', async () => {
  const here = bench();
  const { isWithin } = capacity(here.engine);
  const begun = async (group: string) => (await ready(here, group)) as RunId;
  const [first, second] = [await begun('web'), await begun('web')];
  const other = await begun('docs');
  const offer = (run: RunId) => {
    const now = here.engine.clock.now();
    return here.engine.store.offer(`${run}.2` as ExecutionId, now, (now + 1_000) as Instant);
  };
  const within = () => Promise.all([first, second, other].map(isWithin));
  expect(await within()).toEqual([true, true, true]);
  await offer(first);
  await offer(other);
  expect(await within()).toEqual([true, true, true]);
  await offer(second);
  expect(await within()).toEqual([false, false, true]);
  here.pass(1_000);
  expect(await within(), 'offers that nobody took have lapsed').toEqual([true, true, true]);
  const claim = { execution: `${first}.2` as ExecutionId, holder, nonce: 'n' };
  expect(await here.plane.claim(claim)).toMatchObject({ ok: true });
  await offer(second);
  expect(await within()).toEqual([false, false, true]);
});
