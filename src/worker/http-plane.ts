/**
 * The {@link Plane} over HTTP: what a lane host on a remote machine has of the engine. A timeout is
 * not a refusal, so what is the same when said again is tried again, with jitter and bounded; a
 * beat is not, the next one comes by itself. Tokens are kept here and renewed by beats; whoever
 * uses the Plane sees grants alone, as in-process.
 */
import { createHash } from 'node:crypto';
import {
  type PlaneReply,
  type PlaneRequest,
  type PlaneVerb,
  planeHeaders,
  planePrefix,
} from '../contract/plane.ts';
import type { PlaneRefusalCode } from '../contract/plane-refusals.ts';
import {
  implementationName,
  limits,
  type PlaneBinding,
  planeWire,
} from '../contract/plane-words.ts';
import type { Usage } from '../domain/execution/state.ts';
import type { Commit, Digest, ExecutionId, GrantId, RunId } from '../domain/ids.ts';
import { WorldError } from '../kernel/errors.ts';
import type { Artifacts } from '../ports/artifacts.ts';
import type { Clock } from '../ports/clock.ts';
import {
  type ClaimRequest,
  type Granted,
  type Plane,
  type PlaneAnswer,
  secretMsMax,
} from '../ports/plane.ts';
import type { SealAttestor, SealedMessage } from '../ports/seals.ts';
import type { HeartbeatAnswer } from '../ports/store.ts';
import type { ToldClock } from '../ports/told-clock.ts';
import type { BytesRequest, Called, PlaneCaller, Try } from './plane-call.ts';
import { refusedWorker, type WorkerSession } from './session.ts';
import { dispatchOf } from './wire-dispatch.ts';

/** What a host keeps of its claim: enough to go on after a restart. Secret: it holds the token. */
export interface HeldGrant {
  readonly binding: PlaneBinding;
  readonly token: string;
  /** Said again it is the same claim, and brings a token when this one has run out. */
  readonly claim: ClaimRequest;
}

export interface HttpPlane extends Plane {
  /** Waits for work that fits; empty when there was none in time. */
  offer(request: Omit<PlaneRequest<'offer'>, 'wire'>): Promise<PlaneReply<'offer'>['offers']>;
  /** Which of these runs, at most {@link limits.endedRuns}, are over; the others stay. */
  ended(runs: readonly RunId[]): Promise<Omit<PlaneReply<'ended'>, 'ok'>>;
  /** Of a claim that was made here, with the newest token; null: of none. */
  held(execution: ExecutionId): HeldGrant | null;
  /** Goes on with a claim that another process made. */
  hold(grant: HeldGrant): void;
  /** Artifacts on the server, as this execution may have them. */
  artifacts(granted: Granted): Artifacts;
  /** Answers the number of the row that is wanted next. */
  events(
    message: Granted & Pick<PlaneRequest<'events'>, 'from' | 'rows'>,
  ): Promise<Called<PlaneReply<'events'>>>;
  /** The value of a secret that the dispatch names. @throws WorldError `credential_missing`. */
  credential(message: Granted & { readonly name: string }): Promise<string>;
  /** How the commit of its job is had; the bundle is an artifact. */
  source(
    message: Granted & {
      readonly have: readonly Commit[] | null;
      readonly withoutRemote: boolean;
    },
  ): Promise<Called<PlaneReply<'source'>>>;
  /** Commits that were made; the same again is taken in again without effect. */
  work(message: Granted & { readonly tip: Commit; readonly bundle: Digest }): Promise<PlaneAnswer>;
  budgetReserve(
    message: Granted & { readonly costUsd: number; readonly tokens: number },
  ): Promise<Called<PlaneReply<'budget-reserve'>>>;
  budgetSettle(message: Granted & { readonly usage: Usage }): Promise<PlaneAnswer>;
}

export interface HttpPlaneOptions {
  readonly caller: PlaneCaller;
  readonly session: WorkerSession;
  /** Signs, with the key of the session, what is handed in. */
  readonly seals: SealAttestor;
  /** Told what time it is for the server with every claim and every beat that it answers. */
  readonly time?: Pick<Clock, 'monotonicMs'> & Pick<ToldClock, 'heard'>;
}

type Bound = Extract<
  PlaneVerb,
  Exclude<PlaneVerb, 'enrol' | 'challenge' | 'session' | 'offer' | 'claim' | 'ended'>
>;
type Rest<V extends Bound> = Omit<PlaneRequest<V>, 'wire' | 'binding'>;
type GrantCall<T> = (grant: HeldGrant) => Promise<Called<T>>;
type UnderGrant = <T>(execution: ExecutionId, call: GrantCall<T>) => Promise<Called<T>>;

/** The same again is the same answer, so an answer that got lost is asked for again. */
const idempotent: Try = { tries: 4 };
/** As long as its command may take; asked again meanwhile it is the same run of it. */
const secret: Try = { ...idempotent, waitMs: secretMsMax };
/** As long as git may take at the other end. */
const git: Try = { ...idempotent, waitMs: 5 * 60_000 };

export function httpPlane(options: HttpPlaneOptions): HttpPlane {
  const { caller } = options;
  const grants = new Map<string, HeldGrant>();
  const hold = (grant: HeldGrant) => grants.set(grant.binding.execution, grant);
  /** Without a beat for a while (a suspend, a restart) a token runs out and the lease may not. */
  const underGrant: UnderGrant = async (execution, call) => {
    const grant = grants.get(execution);
    if (grant === undefined) return { ok: false, code: 'grant.stale' };
    const first = await call(grant);
    if (first.ok || first.code !== 'token.expired') return first;
    const again = await claim(options, grant.claim, hold);
    const renewed = grants.get(execution);
    const isSame = again.ok && again.grantId === grant.binding.grantId;
    return isSame && renewed !== undefined ? call(renewed) : first;
  };
  const say = <V extends Bound>(
    verb: V,
    granted: Granted,
    rest: Rest<V>,
    how: Try = idempotent,
  ): Promise<Called<PlaneReply<V>>> =>
    underGrant(granted.execution, (grant) => {
      const binding = { ...grant.binding, grantId: granted.grantId };
      const message = { wire: planeWire, binding, ...rest } as unknown as PlaneRequest<V>;
      return caller.call(verb, message, { ...how, token: grant.token });
    });
  const tell = async <V extends Bound>(verb: V, granted: Granted, rest: Rest<V>) =>
    answered(await say(verb, granted, rest));

  return {
    claim: (request) => claim(options, request, hold),
    start: ({ rung, pid, ...granted }) => tell('start', granted, { rung, pid }),
    heartbeat: async ({ beat, signals, usage, ...granted }) => {
      const asked = () => say('heartbeat', granted, { beat, signals, usage }, {});
      const answer = await timed(options.time, asked);
      const grant = grants.get(granted.execution);
      if (answer.ok && grant !== undefined) hold({ ...grant, token: answer.value.token });
      return heard(answer);
    },
    ask: ({ ask, ...granted }) => tell('ask', granted, { ask }),
    checkpoint: ({ body, ...granted }) => tell('checkpoint', granted, { body }),
    // What the domain calls readonly is only read: the message is closed by its schema.
    result: (message) => tell('result', message, attested(options, message)),
    cancelAck: ({ proof, ...granted }) => tell('cancel-ack', granted, { proof }),
    offer: (request) => offer(options, request),
    ended: (runs) => ended(options, runs),
    held: (execution) => grants.get(execution) ?? null,
    hold: (grant) => {
      hold(grant);
    },
    artifacts: ({ execution }) => remoteArtifacts(caller, (call) => underGrant(execution, call)),
    events: ({ from, rows, ...granted }) => say('events', granted, { from, rows }),
    credential: async ({ name, ...granted }) => {
      const answer = await say('credential', granted, { name }, secret);
      const value = answer.ok ? answer.value.value : null;
      if (value !== null) return value;
      throw new WorldError('credential_missing', `the secret ${name} cannot be had`, {
        where: `secrets.${name}`,
        found: answer.ok ? (answer.value.why ?? 'no reason was told') : answer.code,
      });
    },
    source: ({ have, withoutRemote, ...granted }) =>
      say('source', granted, { have: have === null ? null : [...have], withoutRemote }, git),
    work: async ({ tip, bundle, ...granted }) =>
      answered(await say('work', granted, { tip, bundle }, git)),
    budgetReserve: ({ costUsd, tokens, ...granted }) =>
      say('budget-reserve', granted, { costUsd, tokens }),
    budgetSettle: ({ usage, ...granted }) => tell('budget-settle', granted, { usage }),
  };
}

function attested(
  { seals }: HttpPlaneOptions,
  { execution, grantId, seal, result }: SealedMessage,
) {
  const attestation = seals.attest({ execution, grantId, seal, result });
  return { seal, result, attestation } as unknown as Rest<'result'>;
}

/** What was tried again is told of later than it was sent: its error then is as large. */
async function timed<T extends { readonly at: number }>(
  time: HttpPlaneOptions['time'],
  call: () => Promise<Called<T>>,
): Promise<Called<T>> {
  const sentMs = time?.monotonicMs() ?? 0;
  const answer = await call();
  if (answer.ok) time?.heard({ at: answer.value.at, sentMs, heardMs: time.monotonicMs() });
  return answer;
}

const answered = (answer: Called<unknown>): PlaneAnswer =>
  answer.ok ? { ok: true } : { ok: false, reason: answer.code };

/** Whatever the refusal, the lease is not ours any more, unless the execution itself says so. */
function heard(answer: Called<PlaneReply<'heartbeat'>>): HeartbeatAnswer {
  if (!answer.ok) {
    const isOver = answer.code === 'execution.not_open';
    return { ok: false, reason: isOver ? 'execution.not_open' : 'grant.stale' };
  }
  const { cancel, pause, now, nudges, answer: said } = answer.value;
  return {
    ...{ ok: true, cancel, pause },
    ...(now === undefined ? {} : { now }),
    ...(nudges === undefined ? {} : { nudges }),
    ...(said === undefined ? {} : { answer: answerOf(said) }),
  };
}

function answerOf({ why, ...said }: NonNullable<PlaneReply<'heartbeat'>['answer']>) {
  return why === undefined ? said : { ...said, why };
}

/** A session that ended between two calls is renewed once; what is refused then is refused. */
async function asWorker<T>(
  session: WorkerSession,
  call: (token: string) => Promise<Called<T>>,
): Promise<Called<T>> {
  const first = await call(await session.token());
  const isOld: readonly PlaneRefusalCode[] = ['token.expired', 'token.invalid'];
  if (first.ok || !isOld.includes(first.code)) return first;
  session.drop();
  return call(await session.token());
}

async function claim(
  { caller, session, time }: HttpPlaneOptions,
  { execution, holder, nonce }: ClaimRequest,
  hold: (grant: HeldGrant) => void,
): ReturnType<Plane['claim']> {
  const own = { ...holder, worker: session.worker, bootId: session.bootId };
  const message = { wire: planeWire, execution, holder: own, nonce } as const;
  const answer = await asWorker(session, (token) =>
    timed(time, () => caller.call('claim', message, { ...idempotent, token })),
  );
  if (!answer.ok) return { ok: false, reason: answer.code };
  const { grantId, fence, ttlMs, token } = answer.value;
  const dispatch = dispatchOf(answer.value.dispatch);
  const { run, dispatchId, job, implementation } = dispatch;
  hold({
    ...{ token, claim: { execution, holder, nonce } },
    binding: {
      ...{ run, dispatch: dispatchId, execution, fence, grantId },
      ...{ job: job.role, attempt: job.attempt },
      implementation: implementationName(implementation),
    },
  });
  return { ok: true, grantId: grantId as GrantId, fence, ttlMs, dispatch };
}

async function offer(
  { caller, session }: HttpPlaneOptions,
  request: Omit<PlaneRequest<'offer'>, 'wire'>,
): Promise<PlaneReply<'offer'>['offers']> {
  const message = { wire: planeWire, ...request } as const;
  const answer = await asWorker(session, (token) =>
    caller.call('offer', message, { token, waitMs: request.waitMs }),
  );
  if (answer.ok) return answer.value.offers;
  throw refusedWorker('the server offers nothing to this worker', answer.code);
}

async function ended(
  { caller, session }: HttpPlaneOptions,
  runs: readonly RunId[],
): Promise<PlaneReply<'ended'>> {
  const message = { wire: planeWire, runs: [...runs] } satisfies PlaneRequest<'ended'>;
  const answer = await asWorker(session, (token) =>
    caller.call('ended', message, { ...idempotent, token }),
  );
  if (answer.ok) return answer.value;
  throw refusedWorker('the server tells this worker nothing', answer.code);
}

type BytesHow = Pick<BytesRequest, 'method' | 'body'> & Partial<Pick<BytesRequest, 'headers'>>;

function remoteArtifacts(
  caller: PlaneCaller,
  underGrant: (call: GrantCall<Uint8Array>) => Promise<Called<Uint8Array>>,
): Artifacts {
  const ask = (digest: string, { headers = {}, ...how }: BytesHow) =>
    underGrant(({ binding, token }) => {
      const own = {
        ...{ [planeHeaders.wire]: String(planeWire), ...headers },
        [planeHeaders.execution]: binding.execution,
        [planeHeaders.grant]: binding.grantId,
      };
      const path = `${planePrefix}/artifacts/${digest}`;
      const bounds = { tries: 4, bytesMax: limits.artifactBytes };
      return caller.bytes({ path, token, headers: own, ...bounds, ...how });
    });
  return {
    put: async (bytes, kind) => {
      const body = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
      const digest = digestOf(body);
      const headers = { [planeHeaders.kind]: kind };
      const answer = await ask(digest, { method: 'PUT', headers, body });
      if (answer.ok) return digest;
      throw refusedArtifact('the server did not take an artifact', answer.code);
    },
    get: async (digest) => {
      const answer = await ask(digest, { method: 'GET' });
      if (!answer.ok && answer.code === 'artifact.unknown') return null;
      if (!answer.ok) throw refusedArtifact('the server gives no artifact', answer.code);
      if (digestOf(answer.value) === digest) return answer.value;
      throw new WorldError('artifact_damaged', `the bytes are not those of ${digest}`);
    },
  };
}

const digestOf = (bytes: Uint8Array): Digest =>
  `sha256:${createHash('sha256').update(bytes).digest('hex')}` as Digest;

const refusedArtifact = (what: string, found: PlaneRefusalCode): WorldError =>
  new WorldError('plane_refused', `${what}: ${found}`, { found });
