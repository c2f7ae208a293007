/**
 * Who a worker is: an Ed25519 key that never leaves it, an id that the server gave to its public
 * part, and the boot that it runs in. A token is had for a signed challenge and kept in memory
 * until shortly before it ends, by this machine's monotonic clock: no two wall clocks are compared.
 */
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { type PlaneRequest, sessionPayload } from '../contract/plane.ts';
import type { PlaneRefusalCode } from '../contract/plane-refusals.ts';
import { planeWire } from '../contract/plane-words.ts';
import { RequestError, WorldError } from '../kernel/errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { PlaneCaller } from './plane-call.ts';

export interface WorkerKey {
  readonly privateKey: KeyObject;
  /** 32 raw bytes, base64url. */
  readonly publicKey: string;
}

export function newWorkerKey(): WorkerKey {
  const { privateKey } = generateKeyPairSync('ed25519');
  return workerKeyOf(privateKey);
}

export function workerKeyOf(privateKey: KeyObject): WorkerKey {
  const { x } = privateKey.export({ format: 'jwk' });
  if (x === undefined) throw new WorldError('key_unusable', 'the key is no Ed25519 key');
  return { privateKey, publicKey: x };
}

type Enrolment = Omit<PlaneRequest<'enrol'>, 'wire' | 'publicKey'>;

/** @throws WorldError `plane_refused` when the code is not valid (any more). */
export async function enrol(
  caller: PlaneCaller,
  key: WorkerKey,
  enrolment: Enrolment,
): Promise<{ readonly worker: string }> {
  const message = { wire: planeWire, publicKey: key.publicKey, ...enrolment } as const;
  const answer = await caller.call('enrol', message);
  if (answer.ok) return { worker: answer.value.worker };
  throw new WorldError('plane_refused', `the server did not enrol this worker: ${answer.code}`, {
    found: answer.code,
    next: 'pawl worker enroll (on the server): a code is good once, and for 15 minutes',
  });
}

export interface WorkerSession {
  readonly worker: string;
  readonly bootId: string;
  /** Asked for anew when the last one is about to end, or after {@link WorkerSession.drop}. */
  token(): Promise<string>;
  /** The server refused it. */
  drop(): void;
}

export interface SessionOptions {
  readonly caller: PlaneCaller;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly worker: string;
  readonly bootId: string;
  readonly key: WorkerKey;
}

/** How much of a token's life is used. */
const usedPart = 0.8;

export function workerSession(options: SessionOptions): WorkerSession {
  const { clock, worker, bootId } = options;
  let kept: { readonly token: string; readonly untilMs: number } | null = null;
  let asked: Promise<string> | null = null;
  const renew = async () => {
    const beganMs = clock.monotonicMs();
    const { token, expiresInMs } = await ask(options);
    kept = { token, untilMs: beganMs + expiresInMs * usedPart };
    return token;
  };
  return {
    worker,
    bootId,
    token: async () => {
      if (kept !== null && clock.monotonicMs() < kept.untilMs) return kept.token;
      asked ??= renew().finally(() => {
        asked = null;
      });
      return asked;
    },
    drop: () => {
      kept = null;
    },
  };
}

async function ask({ caller, worker, bootId, key }: SessionOptions) {
  const given = await caller.call('challenge', { wire: planeWire, worker }, { tries: 3 });
  if (!given.ok) throw refused(given.code);
  const { challenge } = given.value;
  const payload = Buffer.from(sessionPayload({ worker, bootId, challenge }));
  const signature = sign(null, payload, key.privateKey).toString('base64url');
  const message = { wire: planeWire, worker, bootId, challenge, signature } as const;
  const answer = await caller.call('session', message, { tries: 3 });
  if (!answer.ok) throw refused(answer.code);
  return answer.value;
}

const refused = (code: PlaneRefusalCode): WorldError =>
  isUnknownWorker(code)
    ? unknownWorker()
    : new WorldError('plane_refused', `the server does not take this worker: ${code}`, {
        next: `pawl help ${code}`,
      });

const isUnknownWorker = (code: PlaneRefusalCode): boolean => code === 'worker.unknown';

/** It will not be otherwise: what runs here ends, and nothing more is asked. */
const unknownWorker = (): RequestError =>
  new RequestError('not_enrolled', 'the server does not know this worker, or it was revoked', {
    found: 'worker.unknown',
  });

/** What was refused to a worker as such, whichever verb it asked. */
export const refusedWorker = (what: string, code: PlaneRefusalCode): RequestError | WorldError =>
  isUnknownWorker(code)
    ? unknownWorker()
    : new WorldError('plane_refused', `${what}: ${code}`, { found: code });
