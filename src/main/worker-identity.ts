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
import { isFields, parsedJson } from '../kernel/json.ts';
import { type Signer, signerOf } from '../verify/signer.ts';
import { type HttpPlane, httpPlane } from '../worker/http-plane.ts';
import { type PlaneCaller, planeCaller } from '../worker/plane-call.ts';
import { enrol, newWorkerKey, workerKeyOf, workerSession } from '../worker/session.ts';
import type { Surroundings } from './surroundings.ts';

type Home = Pick<Surroundings, 'home'>;

export interface WorkerIdentity {
  readonly server: string;
  readonly worker: string;
}

/** A home of its own below pawl's: a server on the same machine shares nothing with it. */
export const workerHome = (around: Home): string => join(around.home, 'worker');

const identityFile = ({ home }: Home): string => join(home, 'identity.json');
const keyFile = ({ home }: Home): string => join(home, 'key.pem');

/** Null: not enrolled yet. */
export function readIdentity(place: Home): WorkerIdentity | null {
  const value = parsedJson(textOf(identityFile(place)) ?? '');
  if (!isFields(value)) return null;
  const { server, worker } = value;
  return typeof server === 'string' && typeof worker === 'string' ? { server, worker } : null;
}

function textOf(path: string): string | null {
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

/** The key is on the disk before the server knows it; the code is good for once. */
export async function enrolWorker(
  place: Home,
  server: string,
  enrolment: Enrolment,
): Promise<WorkerIdentity> {
  const key = newWorkerKey();
  mkdirSync(place.home, { recursive: true, mode: 0o700 });
  writeDurably(keyFile(place), key.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
  const { labels, ...rest } = enrolment;
  const { worker } = await enrol(callerTo(server), key, { ...rest, labels: [...labels] });
  writeDurably(identityFile(place), JSON.stringify({ server, worker }));
  return { server, worker };
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
export const workerSigner = (place: Home): Signer =>
  signerOf(createPrivateKey(readFileSync(keyFile(place))));

function callerTo(server: string, signal?: AbortSignal): PlaneCaller {
  const means = { server, clock: nodeClock(), ids: nodeIds() };
  return planeCaller(signal === undefined ? means : { ...means, signal });
}

/** The plane as this worker, of this boot. */
export function planeOf(place: Home, identity: WorkerIdentity, signal?: AbortSignal): HttpPlane {
  const caller = callerTo(identity.server, signal);
  const key = workerKeyOf(createPrivateKey(readFileSync(keyFile(place))));
  const { worker } = identity;
  const session = workerSession({ caller, clock: nodeClock(), worker, bootId: bootId(), key });
  return httpPlane({ caller, session });
}
