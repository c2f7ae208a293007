/**
 * Goal: whoever can read the store can say how many runs are healthy and how long the others have
 * been stuck, without a driver; and the metrics of a server say it.
 * Method: one engine over a store in memory, rows taken away that no event took.
 */
import { expect, test } from 'vitest';
import {
  type Bench,
  bench,
  holder,
  plainDefinition,
  prepared,
  work,
} from '../../test/sim/bench-of-one.ts';
import { ada, nothing } from '../../test/sim/human.ts';
import type { RunId } from '../domain/ids.ts';
import { recoveryDefaults } from '../domain/recovery/figures.ts';
import { metrics } from '../http/metrics.ts';
import { ok } from '../kernel/result.ts';
import type { Rows } from '../ports/store.ts';
import { driverPrincipal, runCommand } from './command.ts';
import { healthReader } from './health-reader.ts';

const { graceMs } = recoveryDefaults;
const ttlMs = 30_000;
const noRows: Rows = {
  ...{ executions: [], setTimers: [], clearTimers: [] },
  ...{ openApprovals: [], closeApprovals: [], references: [] },
};

async function begun(here: Bench): Promise<RunId> {
  const { id } = await here.client.start(
    { definition: plainDefinition, detached: true, resumedFrom: null, from: null },
    ada,
  );
  await work(here, id, prepared);
  return id;
}
async function beats(here: Bench, run: RunId, beat: number, signals: object): Promise<void> {
  const execution = (await here.client.find({ text: run, project: null })).execution?.id;
  if (execution === undefined) throw new Error('nothing is open');
  const claim = await here.plane.claim({ execution, holder, nonce: `nonce ${execution}` });
  if (!claim.ok) throw new Error(claim.reason);
  const told = { beat, signals: JSON.stringify(signals), usage: null };
  await here.plane.heartbeat({ execution, grantId: claim.grantId, ...told });
}
async function loseTimer({ engine }: Bench, run: RunId): Promise<void> {
  const at = engine.clock.now();
  const rows: Rows = { ...noRows, clearTimers: ['attempt_time'] };
  await engine.store.transact([{ run, at, actor: 'nobody' }], (next) =>
    ok({ events: [], next, rows }),
  );
}

test('each open run is counted as what it is, and the stuck with their reason (RR-13, RR-33)', async () => {
  const here = bench();
  const { read } = healthReader(here.engine, ttlMs);
  const [one, still, broken, parked] = [
    await begun(here),
    await begun(here),
    await begun(here),
    await begun(here),
  ];
  const at = here.engine.clock.now();
  const request = { type: 'park_internal_error', detail: 'x' } as const;
  await here.engine.issue(runCommand(parked, driverPrincipal, at, request));
  for (const run of [one, still, broken]) await beats(here, run, 1, { state: 'quiet' });
  expect((await read()).byState).toEqual({ advancing: 3, waiting: 0, at_gate: 1, stuck: 0 });
  await loseTimer(here, broken);
  here.pass(ttlMs);
  await beats(here, one, 2, { state: 'stalled', stalledMs: 15_000 });
  const seen = await read();
  expect(seen.byState).toMatchObject({ advancing: 0, stuck: 3 });
  expect([...seen.stuckBy]).toEqual(
    expect.arrayContaining([
      ['stalled', 1],
      ['silent', 1],
      ['no_deadline', 1],
    ]),
  );
  expect(seen).toMatchObject({ pastGrace: 0, longestMs: ttlMs });
  here.pass(graceMs);
  await beats(here, one, 3, { state: 'working_protocol' });
  await beats(here, still, 2, { state: 'working_protocol' });
  expect(await read()).toMatchObject({
    byState: { advancing: 2, stuck: 1 },
    ...{ pastGrace: 1, longestMs: ttlMs + graceMs },
  });
  await here.client.resume(parked, nothing, ada);
  expect((await read()).byState).toMatchObject({ at_gate: 0, advancing: 3 });
});

test('a run that moves while it is read is not called stuck', async () => {
  const here = bench();
  const run = await begun(here);
  await beats(here, run, 1, { state: 'quiet' });
  const { store } = here.engine;
  const timersDue: typeof store.timersDue = async (now, limit) => {
    const timers = await store.timersDue(now, limit);
    await here.client.pause(run, true, ada);
    return timers.filter((timer) => timer.run !== run);
  };
  const { read } = healthReader({ ...here.engine, store: { ...store, timersDue } }, ttlMs);
  expect((await read()).byState).toMatchObject({ advancing: 1, stuck: 0 });
});

test('the metrics of a server say it, an alarm for what is past its grace (RR-13)', async () => {
  const here = bench();
  const run = await begun(here);
  await beats(here, run, 1, { state: 'quiet' });
  await loseTimer(here, run);
  here.pass(graceMs);
  const runs = healthReader(here.engine, ttlMs);
  const { store, clock } = here.engine;
  const failing = { runs, failingSweeps: async () => 4 };
  const text = await metrics().text(store, clock.now(), failing);
  expect(text.split('\n')).toEqual(
    expect.arrayContaining([
      'pawl_runs_by_health{health="advancing"} 0',
      'pawl_runs_by_health{health="stuck"} 1',
      'pawl_stuck_runs{reason="no_deadline"} 1',
      'pawl_stuck_runs_past_grace 1',
      `pawl_stuck_seconds_max ${graceMs / 1_000}`,
      'pawl_failing_sweeps 4',
    ]),
  );
});
