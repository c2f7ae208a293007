/**
 * A server that speaks the worker plane over one engine in memory, on a port of loopback that the
 * system picks, and workers that speak with it.
 */
import { type FastifyInstance, fastify } from 'fastify';
import type { ExecutionId, GrantId, RunId } from '../../src/domain/ids.ts';
import { localPlane } from '../../src/engine/local-plane.ts';
import { type PlaneWorkers, planeWorkers } from '../../src/engine/plane-workers.ts';
import { eventTail } from '../../src/http/plane/event-tail.ts';
import { type RefusalLog, refusalLog } from '../../src/http/plane/evidence.ts';
import { planeRoutes } from '../../src/http/plane/routes.ts';
import { type PlaneTokens, planeTokens } from '../../src/http/plane/tokens.ts';
import { codeDigest } from '../../src/http/plane/worker-handlers.ts';
import { WorldError } from '../../src/kernel/errors.ts';
import type { BudgetSource } from '../../src/ports/budgets.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { Plane } from '../../src/ports/plane.ts';
import { sealAttestor } from '../../src/verify/seal-attestor.ts';
import { sealJudge } from '../../src/verify/seal-statement.ts';
import { signerOf } from '../../src/verify/signer.ts';
import { type HttpPlane, httpPlane } from '../../src/worker/http-plane.ts';
import type { Fetch } from '../../src/worker/node-fetch.ts';
import { type PlaneCaller, planeCaller } from '../../src/worker/plane-call.ts';
import { enrol, newWorkerKey, type WorkerKey, workerSession } from '../../src/worker/session.ts';
import { type Bench, bench, plainDefinition } from '../sim/bench-of-one.ts';
import { ada } from '../sim/human.ts';

export interface PlaneServer {
  readonly url: string;
  readonly here: Bench;
  readonly workers: PlaneWorkers;
  readonly tokens: PlaneTokens;
  readonly refusals: RefusalLog;
  /** What only whoever runs the server may know. */
  readonly logged: readonly string[];
  /** What a slow reference waits for, until it is released. */
  readonly slow: Pick<ReturnType<typeof slowCommand>, 'runs' | 'release'>;
  /** Paths of what was asked of it, in order. */
  readonly heard: readonly string[];
  /** In-process, over the same engine. */
  readonly local: Plane;
  /** Enrols one and gives it a Plane. */
  worker(how?: {
    readonly slots?: number;
    readonly labels?: readonly string[];
    readonly fetch?: Fetch;
  }): Promise<RemoteWorker>;
  close(): Promise<void>;
}

export interface RemoteWorker {
  readonly id: string;
  readonly plane: HttpPlane;
  readonly caller: PlaneCaller;
  readonly key: WorkerKey;
}

export const bootId = 'boot-1';
export const ttlMs = 30_000;
export const secretValue = 'canary-4711';
/** Of a secret whose value nobody has. */
export const unsetReference = 'env:NOWHERE';
/** Of one that is had when the test says so. */
export const slowReference = 'command:slow';

function slowCommand() {
  const waiting: (() => void)[] = [];
  let runs = 0;
  return {
    runs: () => runs,
    wait: () => {
      runs += 1;
      return new Promise<void>((resolve) => waiting.push(resolve));
    },
    release: () => {
      for (const go of waiting.splice(0)) go();
    },
  };
}

/** `budgets`: over runs; absent: nothing is braked over runs. */
export async function planeServer(
  more: { readonly budgets?: BudgetSource } = {},
): Promise<PlaneServer> {
  const here = bench();
  const { engine } = here;
  const workers = planeWorkers(engine);
  const tokens = planeTokens({ clock: engine.clock, keys: workers, nonce: engine.ids.nonce });
  const refusals = refusalLog(engine);
  const local = localPlane(engine, { ttlMs, version: '1.2.3' });
  const logged: string[] = [];
  const slow = slowCommand();
  const credentials = async (wanted: Readonly<Record<string, string>>) => {
    const gone = Object.values(wanted).find((reference) => reference === unsetReference);
    if (gone !== undefined) {
      const found = `${gone} on the server here: NOWHERE is not set`;
      throw new WorldError('credential_missing', 'cannot be had', { found });
    }
    if (Object.values(wanted).includes(slowReference)) await slow.wait();
    return Object.fromEntries(Object.keys(wanted).map((name) => [name, secretValue]));
  };
  const app: FastifyInstance = fastify();
  const heard: string[] = [];
  app.addHook('preHandler', async ({ url }) => void heard.push(url));
  await app.register(
    planeRoutes({
      ...{ engine, plane: local, workers, tokens, refusals, ttlMs, credentials },
      seals: sealJudge,
      tail: eventTail(),
      ...more,
      log: (line) => logged.push(line),
    }),
  );
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  return {
    ...{ url, here, workers, tokens, refusals, local, logged, slow, heard },
    worker: (how = {}) => remoteWorker({ url, workers, clock: engine.clock }, how),
    close: () => app.close(),
  };
}

interface Where {
  readonly url: string;
  readonly workers: PlaneWorkers;
  readonly clock: Clock;
}

async function remoteWorker(
  { url, workers, clock }: Where,
  how: {
    readonly slots?: number;
    readonly labels?: readonly string[];
    readonly fetch?: Fetch;
  },
): Promise<RemoteWorker> {
  const code = `code-${Math.floor(clock.now())}-${(await workers.list()).length}`;
  const expiresAt = (clock.now() + 60_000) as ReturnType<Clock['now']>;
  await workers.addCode({ digest: codeDigest(code), expiresAt });
  const caller = planeCaller({
    ...{ servers: [url] as const, clock, ids: { fraction: () => 0.5 } },
    ...(how.fetch === undefined ? {} : { fetch: how.fetch }),
  });
  const key = newWorkerKey();
  const asked = { code, name: 'box', labels: [...(how.labels ?? [])], slots: how.slots ?? 4 };
  const { worker: id } = await enrol(caller, key, asked);
  const session = workerSession({ caller, clock, worker: id, bootId, key });
  const seals = sealAttestor({ ...signerOf(key.privateKey), worker: id }, clock);
  return { id, plane: httpPlane({ caller, session, seals }), caller, key };
}

/** A run whose first execution, setup and baseline, waits for whoever claims it. */
export async function startedRun({ here }: PlaneServer, more: object = {}): Promise<RunId> {
  const definition = { ...plainDefinition, ...more };
  const request = { definition, detached: true, resumedFrom: null, from: null };
  return (await here.client.start(request, ada)).id;
}

export const executionOf = (run: RunId, n = 1): ExecutionId => `${run}.${n}` as ExecutionId;

export const holderOf = (worker: string) => ({ worker, bootId, pid: 7, started: 1 });

/** @throws when it is refused. */
export async function claimed(plane: Plane, worker: string, execution: ExecutionId) {
  const answer = await plane.claim({ execution, holder: holderOf(worker), nonce: execution });
  if (!answer.ok) throw new Error(answer.reason);
  const grantId: GrantId = answer.grantId;
  return { ...answer, granted: { execution, grantId } };
}

/** What a worker of tests can do, asked for work as its daemon asks; answers the executions. */
export async function offered(
  { plane }: Pick<RemoteWorker, 'plane'>,
  labels: readonly string[] = [],
): Promise<readonly string[]> {
  const capabilities = [
    ...['role:prepare', 'role:execute', 'role:verify', 'role:judge'],
    ...['git', 'agent:command'],
  ];
  const wanted = { labels: [...labels], capabilities, slots: 8, free: 8, waitMs: 0 };
  return (await plane.offer(wanted)).map(({ execution }) => execution);
}
