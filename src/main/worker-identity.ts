/**
 * Who the worker of this home is, and to which server: an Ed25519 key that never leaves its file
 * (0600), and the id that the server gave to its public part for a one-time code.
 */
import { createPrivateKey } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodeClock } from '../host/clock.ts';
import { writeDurably } from '../host/durable-file.ts';
import { bootId } from '../host/identity.ts';
import { nodeIds } from '../host/ids.ts';
import { RequestError } from '../kernel/errors.ts';
import { isFields, listOf, numberOf, parsedJson, textOf } from '../kernel/json.ts';
import type { ToldClock } from '../ports/told-clock.ts';
import { sealAttestor } from '../verify/seal-attestor.ts';
import { type Signer, signerOf } from '../verify/signer.ts';
import { type HttpPlane, httpPlane } from '../worker/http-plane.ts';
import { type PlaneCaller, planeCaller } from '../worker/plane-call.ts';
import {
  enrol,
  newWorkerKey,
  type WorkerSession,
  workerKeyOf,
  workerSession,
} from '../worker/session.ts';
import type { Surroundings } from './surroundings.ts';

type Home = Pick<Surroundings, 'home'>;

export interface WorkerIdentity {
  /** Where it was last known; any server of the same store knows it as well. */
  readonly server: string;
  /** Further servers of that store, asked where that one does not answer. */
  readonly others: readonly string[];
  readonly worker: string;
  /** As it was enrolled: the server gives no more. */
  readonly slots: number;
  /** As they were told last. */
  readonly labels: readonly string[];
  /** PEM. */
  readonly privateKey: string;
}

/** A home of its own below pawl's: a server on the same machine shares nothing with it. */
export const workerHome = (around: Home): string => join(around.home, 'worker');

const identityFile = ({ home }: Home): string => join(home, 'identity.json');

/** Null: not enrolled yet. */
export function readIdentity(place: Home): WorkerIdentity | null {
  const value = parsedJson(contentOf(identityFile(place)) ?? '');
  if (!isFields(value)) return null;
  const [server, worker] = [textOf(value['server']), textOf(value['worker'])];
  const [slots, privateKey] = [numberOf(value['slots']), textOf(value['privateKey'])];
  if (server === null || worker === null || slots === null || privateKey === null) return null;
  const labels = listOf(value['labels']).flatMap((label) => textOf(label) ?? []);
  const others = listOf(value['others']).flatMap((url) => textOf(url) ?? []);
  return { server, others, worker, slots, labels, privateKey };
}

/**
 * Goes on as the same worker with what was told anew. Another address is taken once who answers
 * there knows this worker.
 * @throws RequestError `not_enrolled`: it does not; TransientError: nobody answers.
 */
export async function renewedIdentity(
  place: Home,
  known: WorkerIdentity,
  told: Partial<Pick<WorkerIdentity, 'server' | 'others' | 'labels'>>,
): Promise<WorkerIdentity> {
  const identity = { ...known, ...told };
  const before = serversOf(known);
  if (serversOf(identity).some((url) => !before.includes(url)))
    await sessionOf(identity, callerTo(serversOf(identity))).token();
  writeDurably(identityFile(place), JSON.stringify(identity));
  return identity;
}

const serversOf = ({ server, others }: WorkerIdentity) => [server, ...others] as const;

function contentOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error: unknown) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

export interface Enrolment {
  readonly code: string;
  readonly name: string;
  readonly labels: readonly string[];
  readonly slots: number;
}

/**
 * Who it was before stays until the server knows the new one: a code that is refused costs nothing.
 */
export async function enrolWorker(
  place: Home,
  servers: readonly [string, ...string[]],
  enrolment: Enrolment,
): Promise<WorkerIdentity> {
  const key = newWorkerKey();
  mkdirSync(place.home, { recursive: true, mode: 0o700 });
  const { labels, slots, ...rest } = enrolment;
  const { worker } = await enrol(callerTo(servers), key, { ...rest, slots, labels: [...labels] });
  const privateKey = key.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const [server, ...others] = servers;
  const identity = { server, others, worker, slots, labels, privateKey };
  writeDurably(identityFile(place), JSON.stringify(identity));
  return identity;
}

/** @throws RequestError `not_enrolled` */
export function needIdentity(place: Home): WorkerIdentity {
  const identity = readIdentity(place);
  if (identity !== null) return identity;
  throw new RequestError('not_enrolled', 'this worker is not known to any server', {
    where: place.home,
    next: 'pawl worker enroll (on the server), then here: pawl worker --server URL --code CODE',
  });
}

/** Its receipts are signed with the key that the server knows it by, and can be checked there. */
export const workerSigner = ({ privateKey, worker }: WorkerIdentity): Signer => ({
  ...signerOf(createPrivateKey(privateKey)),
  worker,
});

function callerTo(servers: readonly [string, ...string[]], signal?: AbortSignal): PlaneCaller {
  const means = { servers, clock: nodeClock(), ids: nodeIds() };
  return planeCaller(signal === undefined ? means : { ...means, signal });
}

interface PlaneMeans {
  readonly signal?: AbortSignal;
  /** Is told the time of the server, which this machine's clock may not have. */
  readonly time?: ToldClock;
}

function sessionOf({ worker, privateKey }: WorkerIdentity, caller: PlaneCaller): WorkerSession {
  const key = workerKeyOf(createPrivateKey(privateKey));
  return workerSession({ caller, clock: nodeClock(), worker, bootId: bootId(), key });
}

/** The plane as this worker, of this boot. */
export function planeOf(identity: WorkerIdentity, { signal, time }: PlaneMeans = {}): HttpPlane {
  const caller = callerTo(serversOf(identity), signal);
  const session = sessionOf(identity, caller);
  const seals = sealAttestor(workerSigner(identity), time?.clock ?? nodeClock());
  if (time === undefined) return httpPlane({ caller, session, seals });
  const { monotonicMs } = time.clock;
  return httpPlane({ caller, session, seals, time: { monotonicMs, heard: time.heard } });
}
