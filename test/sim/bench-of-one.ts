/** One engine over one store without weather: what the unit tests of the engine stand on. */
import { createHash } from 'node:crypto';
import type { Holder, JobResult } from '../../src/domain/execution/state.ts';
import type { Commit, Digest, ExecutionId, GrantId, Instant, RunId } from '../../src/domain/ids.ts';
import { engineClient } from '../../src/engine/client.ts';
import { type Engine, engine } from '../../src/engine/engine.ts';
import { localPlane } from '../../src/engine/local-plane.ts';
import type { AgentsHere } from '../../src/ports/agents-here.ts';
import type { Artifacts } from '../../src/ports/artifacts.ts';
import type { Client } from '../../src/ports/client.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { ArtifactCollector } from '../../src/ports/collector.ts';
import type { Ids } from '../../src/ports/ids.ts';
import type { Plane } from '../../src/ports/plane.ts';
import type { Store } from '../../src/ports/store.ts';
import { memoryStore } from '../../src/store/memory/memory-store.ts';
import { attesting } from '../support/attesting.ts';
import { simDefinition } from './definition.ts';
import { ada } from './human.ts';
import { type Random, seeded } from './random.ts';

export interface Bench {
  readonly engine: Engine;
  readonly artifacts: SimArtifacts;
  readonly plane: Plane;
  readonly client: Client;
  /** Asked to make sure of a driver. */
  readonly driversAsked: () => number;
  pass(ms: number): void;
}

export const holder: Holder = { worker: 'here', bootId: 'b', pid: 7, started: 1 };

export function bench(
  openStore: (clock: Clock) => Store = (clock) => memoryStore({ clock }),
  agents?: AgentsHere,
): Bench {
  let now = 1_000;
  let driversAsked = 0;
  const clock = { now: () => now as Instant, monotonicMs: () => now, sleep: async () => {} };
  const artifacts = simArtifacts(clock.now);
  const own = engine({
    store: openStore(clock),
    artifacts,
    clock,
    ids: simIds(seeded(1)),
    ...(agents === undefined ? {} : { agents }),
  });
  const absent = () => Promise.reject(new Error('not part of this test'));
  const client = engineClient({
    engine: own,
    workspace: absent,
    checks: async () => attesting(artifacts),
    heads: absent,
    ensureDriver: async () => {
      driversAsked += 1;
    },
    lives: () => true,
    readSpool: async () => null,
    close: async () => {},
  });
  return {
    engine: own,
    artifacts,
    plane: localPlane(own),
    client,
    driversAsked: () => driversAsked,
    pass: (ms) => {
      now += ms;
    },
  };
}

/** One test as the check, three attempts, nothing odd. */
export const plainDefinition = {
  ...simDefinition(seeded(1), 1),
  criteria: [
    {
      kind: 'test',
      command: 'npm test',
      expectExit: 0,
      testsRunMoreThan: 0,
      redFirst: false,
      timeoutMs: 60_000,
    },
  ],
  baseline: 'auto',
  allowNoChange: false,
  onLimit: 'wait',
} as const;

export const prepared: Extract<JobResult, { readonly kind: 'prepared' }> = {
  kind: 'prepared',
  baseline: 'red',
  setup: 'done',
  summary: '3 failed of 3',
  receipt: null,
  detail: null,
};

export const commit = 'c'.repeat(40) as Commit;

export const executed: Extract<JobResult, { readonly kind: 'executed' }> = {
  kind: 'executed',
  outcome: 'turn_ended',
  commit,
  equalsBase: false,
  filesChanged: 1,
  findings: [],
  usage: {
    costUsd: 0,
    source: 'metered',
    tokensIn: 1,
    tokensOut: 1,
    cacheRead: 0,
    cacheWrite: 0,
  },
  end: { exit: 0, signal: null, rung: 'x', proof: 'kernel', lastLine: null },
  text: null,
  limitUntil: null,
  sessionId: null,
  journal: null,
};

export const sealOf = (text: string): Digest =>
  `sha256:${createHash('sha256').update(text).digest('hex')}` as Digest;

/** Claims, starts and seals the open execution of a run; answers its id. */
export async function work(
  { client, plane }: Bench,
  run: RunId,
  result: JobResult,
): Promise<{ readonly execution: ExecutionId; readonly grantId: GrantId }> {
  const view = await client.find({ text: run, project: null });
  const execution = view.execution?.id;
  if (execution === undefined) throw new Error(`${run} has no open execution`);
  const claimed = await plane.claim({ execution, holder, nonce: `nonce ${execution}` });
  if (!claimed.ok) throw new Error(claimed.reason);
  const granted = { execution, grantId: claimed.grantId };
  await plane.start({ ...granted, rung: 'x', pid: 7 });
  const answer = await plane.result({ ...granted, seal: sealOf(execution), result });
  if (!answer.ok) throw new Error(answer.reason);
  return granted;
}

export interface SimArtifacts extends Artifacts {
  readonly collectorOver: (store: Pick<Store, 'unreferenced'>) => ArtifactCollector;
}

export function simArtifacts(now: () => number = () => 0): SimArtifacts {
  const kept = new Map<Digest, { readonly raw: Uint8Array; readonly at: number }>();
  const encoder = new TextEncoder();
  return {
    put: async (bytes) => {
      const raw = typeof bytes === 'string' ? encoder.encode(bytes) : bytes;
      const digest = `sha256:${createHash('sha256').update(raw).digest('hex')}` as Digest;
      kept.set(digest, { raw, at: now() });
      return digest;
    },
    get: async (digest) => kept.get(digest)?.raw ?? null,
    collectorOver: (store) => ({
      path: '/artifacts',
      collect: async ({ before, dry, keep }) => {
        const old = [...kept].filter(([digest, { at }]) => at < before && !keep.has(digest));
        const gone = await store.unreferenced(old.map(([digest]) => digest));
        const bytes = gone.reduce((sum, one) => sum + (kept.get(one)?.raw.byteLength ?? 0), 0);
        if (!dry) for (const digest of gone) kept.delete(digest);
        return { files: gone.length, bytes };
      },
    }),
  };
}

const base32 = 'abcdefghijklmnopqrstuvwxyz234567';

export function simIds(random: Random): Ids {
  return {
    run: () => Array.from({ length: 12 }, () => base32[random.between(0, 31)]).join('') as RunId,
    grant: () => random.hex(32) as GrantId,
    nonce: () => random.hex(32),
    fraction: () => random.next(),
  };
}

/** A run whose lane is ready, and that nobody has claimed. */
export async function readyLane() {
  const here = bench();
  const start = { definition: plainDefinition, detached: true, resumedFrom: null, from: null };
  const { id } = await here.client.start(start, ada);
  await work(here, id, prepared);
  const view = () => here.client.find({ text: id, project: null });
  const execution = (await view()).execution?.id;
  if (execution === undefined) throw new Error('nothing is open');
  return { here, id, view, execution };
}
