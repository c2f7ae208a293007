/**
 * `pawl serve`: the driver and the endpoints over one store, in one process. It owns nothing:
 * killed at any point, the next one goes on from the rows. Lanes are processes of their own and
 * outlive it.
 */
import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import type { ServeEntry, ServeRequest } from '../cli/composition.ts';
import { engineClient } from '../engine/client.ts';
import { type Driver, driver, driverDefaults } from '../engine/driver.ts';
import type { Engine } from '../engine/engine.ts';
import { failingMost, withSweeps } from '../engine/failing-sweeps.ts';
import { healthReader } from '../engine/health-reader.ts';
import { holderLives, holderStopped } from '../host/identity.ts';
import { systemWakeLock } from '../host/wake-lock.ts';
import { bounded } from '../http/bounded.ts';
import { healthRoutes } from '../http/health-routes.ts';
import { type Metrics, metrics } from '../http/metrics.ts';
import { operatorRoutes } from '../http/operator-routes.ts';
import { readiness } from '../http/readiness.ts';
import { type HttpServer, httpServer, type Routes } from '../http/server.ts';
import type { Client } from '../ports/client.ts';
import type { OpenExecution } from '../ports/store.ts';
import { attestingPlane } from './attesting-plane.ts';
import { fileBudgets } from './budgets.ts';
import { livesFrom, placeOf } from './driver-place.ts';
import { hostLanes, lanesElsewhere } from './host-lanes.ts';
import { keptDriving } from './kept-driving.ts';
import { noticeCursor, systemNotifier } from './notify.ts';
import { openStore } from './open-store.ts';
import { serverTokens } from './operator.ts';
import { orNull } from './or-null.ts';
import { reportBug } from './report-bug.ts';
import { type Runtime, runtimeOver } from './runtime.ts';
import { type Listening, listening } from './serve-listen.ts';
import { serverPlane } from './serve-plane.ts';
import { spoolReader } from './spool-reader.ts';
import { type Surroundings, withDatabase } from './surroundings.ts';

export interface ServeTold {
  /** Aborts when it is asked to end. */
  readonly signal: AbortSignal;
  readonly log: (entry: ServeEntry) => void;
}

/** A lane of this machine is waited for at most this long by who was asked to leave. */
const handOverMs = 10 * 60_000;
const lookMs = 500;

/**
 * Runs until the signal, until it is drained, or until the store was away for half a day.
 * @throws RequestError, WorldError: nothing was started.
 */
export async function serveProgram(
  around: Surroundings,
  request: ServeRequest,
  told: ServeTold,
): Promise<void> {
  const listens = await listening(request);
  const opened = await openStore(withDatabase(around, request.database));
  try {
    await serving(runtimeOver(opened), { ...listens, elsewhere: request.elsewhere }, told);
  } finally {
    await opened.store.close();
  }
}

/** What becomes of the server: one object, so that routes and driver see the same. */
interface Standing {
  readonly ending: AbortController;
  readonly leaving: AbortController;
  isDriving: boolean;
  /** Workers do all the work. */
  readonly isElsewhere: boolean;
}

type Wanted = Listening & Pick<ServeRequest, 'elsewhere'>;

async function serving(
  runtime: Runtime,
  { elsewhere, ...listens }: Wanted,
  told: ServeTold,
): Promise<void> {
  const { log, signal } = told;
  const standing: Standing = {
    ending: new AbortController(),
    leaving: new AbortController(),
    isDriving: true,
    isElsewhere: elsewhere,
  };
  const onSignal = (): void => standing.ending.abort();
  signal.addEventListener('abort', onSignal, { once: true });
  const counted = metrics();
  // Where workers do all the work, it is no matter which agents are installed here.
  const { agents: _, ...withoutAgents } = runtime.engine;
  const own: Engine = elsewhere ? withoutAgents : runtime.engine;
  const engine: Engine = { ...own, issue: counted.counting(own.issue) };
  const onBug = (error: unknown): void => void bug(runtime, error, log);
  const server = await httpServer({
    ...listens,
    routes: routesOf({ runtime, engine, counted, standing, onBug, log }),
    onAnswer: counted.answered,
    onBug,
  });
  log({ event: 'listening', url: server.url, pid: process.pid });
  try {
    if (signal.aborted) return;
    await drive({ runtime, engine, standing, log });
    standing.isDriving = false;
    if (standing.leaving.signal.aborted) await handOver(runtime, standing, log);
  } finally {
    signal.removeEventListener('abort', onSignal);
    await end(server, standing, log);
  }
}

async function end(server: HttpServer, { ending }: Standing, log: ServeTold['log']): Promise<void> {
  ending.abort();
  await server.close();
  log({ event: 'ended' });
}

interface Serving {
  readonly runtime: Runtime;
  readonly engine: Engine;
  readonly counted: Metrics;
  readonly standing: Standing;
  readonly onBug: (error: unknown) => void;
}

type Routed = Serving & Pick<ServeTold, 'log'>;

const readyMs = 1_000;
/** It counts rows. */
const metricsMs = 2_000;

function routesOf(routed: Routed): readonly Routes[] {
  const { runtime, engine, counted, standing, onBug, log } = routed;
  const { store, clock, around } = runtime;
  const { ending, leaving } = standing;
  const isDraining = (): boolean => leaving.signal.aborted;
  const health = {
    runs: healthReader({ store, clock }, driverDefaults.ttlMs),
    failingSweeps: async () => failingMost(await withSweeps(store, await store.seats())),
  };
  // Whoever asks gives up after seconds, and a database that is away is waited for longer.
  const looked = { seats: bounded({ clock, withinMs: readyMs }, () => store.seats()) };
  const text = () => counted.text(store, clock.now(), health);
  return [
    healthRoutes({
      version: around.version,
      readiness: () => readiness({ store: looked, isDraining, drives: () => standing.isDriving }),
      metrics: bounded({ clock, withinMs: metricsMs }, text),
    }),
    operatorRoutes({
      client: clientOf(runtime, engine),
      ...{ store, clock },
      tokens: serverTokens(around, store),
      // Made by the clock of the machine at whose terminal they are asked for, mostly this one.
      now: clock.now,
      hasProject: async (root) => (await orNull(stat(root)))?.isDirectory() === true,
      instance: randomUUID(),
      isDraining,
      drain: () => leaving.abort(),
      signal: ending.signal,
      onBug,
    }),
    serverPlane(runtime, engine, (line) => log({ event: 'plane', level: 'error', line })),
  ];
}

function clientOf(runtime: Runtime, engine: Engine): Client {
  return engineClient({
    engine,
    workspace: runtime.workspace,
    checks: runtime.checks,
    heads: runtime.heads,
    collector: runtime.collector,
    // The driver of this process has the seat, or takes it when its holder dies.
    ensureDriver: async () => {},
    lives: livesFrom(runtime),
    stopped: holderStopped,
    readSpool: spoolReader(runtime.around),
    close: async () => {},
  });
}

type Driving = Omit<Routed, 'counted' | 'onBug'>;

/** In the seat, or standing by for it, until it is asked to end or to leave. */
async function drive(driving: Driving): Promise<void> {
  const { runtime, standing, log } = driving;
  const signal = AbortSignal.any([standing.ending.signal, standing.leaving.signal]);
  const one = driverOf(driving);
  const { why } = await keptDriving({
    clock: runtime.clock,
    signal,
    drive: () => {
      standing.isDriving = true;
      return one.run(signal);
    },
    broken: ({ code, message }) => {
      standing.isDriving = false;
      log({ event: 'driver', level: 'error', line: `left and begins anew: ${code}: ${message}` });
    },
  });
  log({ event: 'left_seat', why });
}

function driverOf({ runtime, engine, standing, log }: Driving): Driver {
  const { around, clock } = runtime;
  return driver({
    engine,
    lanes: standing.isElsewhere ? lanesElsewhere(runtime) : hostLanes(runtime),
    plane: attestingPlane({ around, engine }),
    processes: { self: runtime.processes.self, lives: livesFrom(runtime) },
    worker: runtime.worker,
    place: placeOf(runtime),
    version: `${around.version}+server`,
    stay: true,
    notices: { notifier: systemNotifier(around, clock), cursor: noticeCursor(runtime) },
    wakeLock: systemWakeLock({ platform: process.platform, env: around.env }),
    heads: runtime.heads,
    readSpool: spoolReader(around),
    collector: runtime.collector,
    budgets: fileBudgets(around),
    log: (line) => log({ event: 'driver', line }),
  });
}

/** The seat is free for another; lanes of this machine seal by themselves, and are waited for. */
async function handOver(
  { store, clock, worker }: Runtime,
  { ending }: Standing,
  log: ServeTold['log'],
): Promise<void> {
  const untilMs = clock.monotonicMs() + handOverMs;
  const isHere = ({ lease }: OpenExecution) => lease?.holder.worker === worker;
  // What another server of this machine starts from now on is not waited for.
  const own = new Set((await store.openExecutions()).filter(isHere).map(({ id }) => id));
  let before = -1;
  while (!ending.signal.aborted && clock.monotonicMs() < untilMs) {
    const open = (await store.openExecutions()).filter(
      ({ id, lease }) => own.has(id) && lease !== null && holderLives(lease.holder),
    );
    if (open.length === 0) return;
    if (open.length !== before) log({ event: 'draining', executions: open.length });
    before = open.length;
    await clock.sleep(lookMs, ending.signal);
  }
}

async function bug({ around }: Runtime, error: unknown, log: ServeTold['log']): Promise<void> {
  const report = await reportBug(around, ['serve'], error);
  log({ event: 'bug', level: 'error', report });
}
