/**
 * Who may take work from elsewhere: workers by their public keys, enrolled with codes that are good
 * for once. Facts of the store, so that every server knows the same; a code and a key are known by
 * digest or by their public part, and nothing that is kept opens anything.
 */
import type { Instant } from '../domain/ids.ts';
import { fieldsOf, listOf, parsedJson } from '../kernel/json.ts';
import type { Clock } from '../ports/clock.ts';
import type { OpenExecution, Store } from '../ports/store.ts';

export interface EnrolledWorker {
  readonly id: string;
  readonly name: string;
  /** 32 raw bytes of an Ed25519 key, base64url. */
  readonly publicKey: string;
  readonly labels: readonly string[];
  readonly slots: number;
  readonly enrolledAt: Instant;
  readonly seenAt: Instant;
  readonly state: 'enrolled' | 'revoked';
  /** As it told them last; absent: it never asked for work. */
  readonly capabilities?: readonly string[];
}

export interface Enrolment {
  /** sha256 of the code that the worker was given, in hex. */
  readonly codeDigest: string;
  readonly id: string;
  readonly name: string;
  readonly publicKey: string;
  readonly labels: readonly string[];
  readonly slots: number;
}

/** A public key by which execution tokens are proven; its private part never leaves a server. */
export interface PlaneKey {
  readonly kid: string;
  readonly publicKey: string;
  /** No token that it signed lives longer. */
  readonly until: Instant;
}

export interface PlaneWorkers {
  /** Durable before it answers. Only a human makes one: the caller's to prove. */
  addCode(code: { readonly digest: string; readonly expiresAt: Instant }): Promise<void>;
  /** Null: the code is not known, was used, or has expired; which of them is not told. */
  enrol(enrolment: Enrolment): Promise<EnrolledWorker | null>;
  /** Null: unknown or revoked. */
  find(id: string): Promise<EnrolledWorker | null>;
  /** Also one that was revoked: what it did is told by its name. */
  known(id: string): Promise<EnrolledWorker | null>;
  list(): Promise<readonly EnrolledWorker[]>;
  seen(id: string, told: Pick<EnrolledWorker, 'labels' | 'slots' | 'capabilities'>): Promise<void>;
  /** Its tokens are not renewed from now on; false: there is none of that id. */
  revoke(id: string): Promise<boolean>;
  publishKey(key: PlaneKey): Promise<void>;
  keys(): Promise<readonly PlaneKey[]>;
}

type Sources = {
  readonly store: Pick<Store, 'fact' | 'facts' | 'swapFact'>;
  readonly clock: Pick<Clock, 'now'>;
};

const code = 'plane/code/';
const worker = 'plane/worker/';
const key = 'plane/key/';
const listMax = 1_000;
const swapTriesMax = 5;
/** Between two writes of when a worker was last seen. */
const seenMs = 30_000;

export function planeWorkers({ store, clock }: Sources): PlaneWorkers {
  const read = async (id: string) => workerOf(await store.fact(`${worker}${id}`));
  const change = async (id: string, next: (one: EnrolledWorker) => EnrolledWorker | null) => {
    for (let n = 0; n < swapTriesMax; n += 1) {
      const kept = await store.fact(`${worker}${id}`);
      const one = workerOf(kept);
      if (one === null) return false;
      const changed = next(one);
      if (changed === null) return true;
      if (await store.swapFact(`${worker}${id}`, kept, JSON.stringify(changed))) return true;
    }
    return false;
  };
  return {
    addCode: async ({ digest, expiresAt }) => {
      await forget(store, code, (value) => numberIn(value, 'expiresAt') <= clock.now());
      await store.swapFact(`${code}${digest}`, null, JSON.stringify({ expiresAt }));
    },
    enrol: async ({ codeDigest, ...told }) => {
      const kept = await store.fact(`${code}${codeDigest}`);
      const now = clock.now();
      if (kept === null || numberIn(kept, 'expiresAt') <= now) return null;
      // Taken before the worker is there: of two that come with one code, one is enrolled.
      if (!(await store.swapFact(`${code}${codeDigest}`, kept, null))) return null;
      const enrolled = { ...told, enrolledAt: now, seenAt: now, state: 'enrolled' } as const;
      const isNew = await store.swapFact(`${worker}${told.id}`, null, JSON.stringify(enrolled));
      return isNew ? enrolled : null;
    },
    find: async (id) => {
      const one = await read(id);
      return one?.state === 'enrolled' ? one : null;
    },
    known: read,
    list: async () =>
      (await store.facts(worker, listMax)).flatMap(({ value }) => workerOf(value) ?? []),
    seen: async (id, told) => {
      const now = clock.now();
      const words = ({ slots, labels, capabilities = [] }: typeof told) =>
        JSON.stringify([slots, labels, capabilities]);
      const isSame = (one: EnrolledWorker) =>
        words(one) === words(told) && now - one.seenAt < seenMs;
      await change(id, (one) => (isSame(one) ? null : { ...one, ...told, seenAt: now }));
    },
    revoke: (id) => change(id, (one) => ({ ...one, state: 'revoked' })),
    publishKey: async ({ kid, publicKey, until }) => {
      await forget(store, key, (value) => numberIn(value, 'until') <= clock.now());
      const kept = await store.fact(`${key}${kid}`);
      await store.swapFact(`${key}${kid}`, kept, JSON.stringify({ publicKey, until }));
    },
    keys: async () =>
      (await store.facts(key, listMax)).flatMap(({ name, value }) => {
        const { publicKey, until } = fieldsOf(parsedJson(value));
        if (typeof publicKey !== 'string' || typeof until !== 'number') return [];
        return until > clock.now()
          ? [{ kid: name.slice(key.length), publicKey, until: until as Instant }]
          : [];
      }),
  };
}

/** A waiting worker asks at least each 20 s and is written down each 30 s; 20 s for the way. */
const goneMs = 70_000;
const isLeft = (status: OpenExecution['status']): boolean =>
  status === 'DISPATCHED' || status === 'RECOVERING' || status === 'UNKNOWN';

/** `gone`: not seen for long, and it renews no lease; one that is busy asks for nothing. */
export function standingOf(
  { id, state, seenAt }: Pick<EnrolledWorker, 'id' | 'state' | 'seenAt'>,
  open: readonly Pick<OpenExecution, 'lease' | 'status'>[],
  now: Instant,
): 'enrolled' | 'gone' | 'revoked' {
  if (state === 'revoked' || now - seenAt < goneMs) return state;
  const holds = open.some(({ lease, status }) => lease?.holder.worker === id && !isLeft(status));
  return holds ? state : 'gone';
}

/** What has expired is of no use to anybody; who comes second finds it gone. */
async function forget(
  store: Sources['store'],
  prefix: string,
  isOld: (value: string) => boolean,
): Promise<void> {
  for (const { name, value } of await store.facts(prefix, listMax)) {
    if (isOld(value)) await store.swapFact(name, value, null);
  }
}

/** What cannot be read has expired. */
function numberIn(value: string, field: string): number {
  const found = fieldsOf(parsedJson(value))[field];
  return typeof found === 'number' ? found : 0;
}

function workerOf(value: string | null): EnrolledWorker | null {
  const fields = fieldsOf(value === null ? null : parsedJson(value));
  const { labels, state, capabilities = [] } = fields;
  const isWhole =
    texts.every((name) => typeof fields[name] === 'string') &&
    numbers.every((name) => typeof fields[name] === 'number') &&
    [...listOf(labels), ...listOf(capabilities)].every((one) => typeof one === 'string') &&
    (state === 'enrolled' || state === 'revoked');
  return isWhole ? (fields as unknown as EnrolledWorker) : null;
}

const texts = ['id', 'name', 'publicKey'] as const;
const numbers = ['slots', 'enrolledAt', 'seenAt'] as const;
