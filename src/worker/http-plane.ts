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
import type { Commit, Digest, ExecutionId, GrantId } from '../domain/ids.ts';
import { WorldError } from '../kernel/errors.ts';
import type { Artifacts } from '../ports/artifacts.ts';
import type { ClaimRequest, Granted, Plane, PlaneAnswer } from '../ports/plane.ts';
import type { HeartbeatAnswer } from '../ports/store.ts';
import type { Called, PlaneCaller, Try } from './plane-call.ts';
import type { WorkerSession } from './session.ts';
import { dispatchOf } from './wire-dispatch.ts';

/** What a host keeps of its claim: enough to go on after a restart. Secret: it holds the token. */
export interface HeldGrant {
  readonly binding: PlaneBinding;
  readonly token: string;
}

export interface HttpPlane extends Plane {
  /** Waits for work that fits; empty when there was none in time. */
  offer(request: Omit<PlaneRequest<'offer'>, 'wire'>): Promise<PlaneReply<'offer'>['offers']>;
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
}

type Bound = Extract<
  PlaneVerb,
  Exclude<PlaneVerb, 'enrol' | 'challenge' | 'session' | 'offer' | 'claim'>
>;
type Rest<V extends Bound> = Omit<PlaneRequest<V>, 'wire' | 'binding'>;

/** The same again is the same answer, so an answer that got lost is asked for again. */
const idempotent: Try = { tries: 4 };
/** What git may take at the other end, beside the call itself. */
const gitMs = 5 * 60_000;

export function httpPlane(options: HttpPlaneOptions): HttpPlane {
  const { caller } = options;
  const grants = new Map<string, HeldGrant>();
  const say = async <V extends Bound>(
    verb: V,
    granted: Granted,
    rest: Rest<V>,
    how: Try = idempotent,
  ): Promise<Called<PlaneReply<V>>> => {
    const grant = grants.get(granted.execution);
    if (grant === undefined) return { ok: false, code: 'grant.stale' };
    const binding = { ...grant.binding, grantId: granted.grantId };
    const message = { wire: planeWire, binding, ...rest } as unknown as PlaneRequest<V>;
    return caller.call(verb, message, { ...how, token: grant.token });
  };
  const tell = async <V extends Bound>(verb: V, granted: Granted, rest: Rest<V>) =>
    answered(await say(verb, granted, rest));
  const hold = (grant: HeldGrant) => grants.set(grant.binding.execution, grant);

  return {
    claim: (request) => claim(options, request, hold),
    start: ({ rung, pid, ...granted }) => tell('start', granted, { rung, pid }),
    heartbeat: async ({ beat, signals, usage, ...granted }) => {
      const answer = await say('heartbeat', granted, { beat, signals, usage }, {});
      const grant = grants.get(granted.execution);
      if (answer.ok && grant !== undefined) hold({ ...grant, token: answer.value.token });
      return heard(answer);
    },
    ask: ({ ask, ...granted }) => tell('ask', granted, { ask }),
    checkpoint: ({ body, ...granted }) => tell('checkpoint', granted, { body }),
    // What the domain calls readonly is only read: the message is closed by its schema.
    result: ({ seal, result, ...granted }) =>
      tell('result', granted, { seal, result } as unknown as Rest<'result'>),
    cancelAck: ({ proof, ...granted }) => tell('cancel-ack', granted, { proof }),
    offer: (request) => offer(options, request),
    held: (execution) => grants.get(execution) ?? null,
    hold: (grant) => {
      hold(grant);
    },
    artifacts: (granted) => remoteArtifacts(caller, () => grants.get(granted.execution) ?? null),
    events: ({ from, rows, ...granted }) => say('events', granted, { from, rows }),
    credential: async ({ name, ...granted }) => {
      const answer = await say('credential', granted, { name });
      if (answer.ok) return answer.value.value;
      throw new WorldError('credential_missing', `the secret ${name} cannot be had`, {
        where: `secrets.${name}`,
        found: answer.code,
      });
    },
    source: ({ have, withoutRemote, ...granted }) =>
      say(
        'source',
        granted,
        { have: have === null ? null : [...have], withoutRemote },
        { ...idempotent, waitMs: gitMs },
      ),
    work: async ({ tip, bundle, ...granted }) =>
      answered(await say('work', granted, { tip, bundle }, { ...idempotent, waitMs: gitMs })),
    budgetReserve: ({ costUsd, tokens, ...granted }) =>
      say('budget-reserve', granted, { costUsd, tokens }),
    budgetSettle: ({ usage, ...granted }) => tell('budget-settle', granted, { usage }),
  };
}

const answered = (answer: Called<unknown>): PlaneAnswer =>
  answer.ok ? { ok: true } : { ok: false, reason: answer.code };

/** Whatever the refusal, the lease is not ours any more, unless the execution itself says so. */
function heard(answer: Called<PlaneReply<'heartbeat'>>): HeartbeatAnswer {
  if (!answer.ok) {
    const isOver = answer.code === 'execution.not_open';
    return { ok: false, reason: isOver ? 'execution.not_open' : 'grant.stale' };
  }
  const { cancel, pause, now, answer: said } = answer.value;
  return {
    ...{ ok: true, cancel, pause },
    ...(now === undefined ? {} : { now }),
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
  { caller, session }: HttpPlaneOptions,
  { execution, holder, nonce }: ClaimRequest,
  hold: (grant: HeldGrant) => void,
): ReturnType<Plane['claim']> {
  const own = { ...holder, worker: session.worker, bootId: session.bootId };
  const message = { wire: planeWire, execution, holder: own, nonce } as const;
  const answer = await asWorker(session, (token) =>
    caller.call('claim', message, { ...idempotent, token }),
  );
  if (!answer.ok) return { ok: false, reason: answer.code };
  const { grantId, fence, ttlMs, token } = answer.value;
  const dispatch = dispatchOf(answer.value.dispatch);
  const { run, dispatchId, job, implementation } = dispatch;
  hold({
    token,
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
  throw new WorldError('plane_refused', `the server offers nothing to this worker: ${answer.code}`);
}

function remoteArtifacts(caller: PlaneCaller, grant: () => HeldGrant | null): Artifacts {
  const request = (digest: string) => {
    const held = grant();
    if (held === null) throw new WorldError('plane_refused', 'no grant for artifacts');
    const { binding, token } = held;
    const headers = {
      [planeHeaders.wire]: String(planeWire),
      [planeHeaders.execution]: binding.execution,
      [planeHeaders.grant]: binding.grantId,
    };
    const path = `${planePrefix}/artifacts/${digest}`;
    return { path, token, headers, tries: 4, bytesMax: limits.artifactBytes };
  };
  return {
    put: async (bytes, kind) => {
      const body = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
      const digest = digestOf(body);
      const { headers, ...rest } = request(digest);
      const own = { ...headers, [planeHeaders.kind]: kind };
      const sent = { ...rest, method: 'PUT', headers: own, body } as const;
      const answer = await caller.bytes(sent);
      if (answer.ok) return digest;
      throw new WorldError('plane_refused', `the server did not take an artifact: ${answer.code}`);
    },
    get: async (digest) => {
      const answer = await caller.bytes({ method: 'GET', ...request(digest) });
      if (!answer.ok && answer.code === 'artifact.unknown') return null;
      if (!answer.ok) {
        throw new WorldError('plane_refused', `the server gives no artifact: ${answer.code}`);
      }
      if (digestOf(answer.value) === digest) return answer.value;
      throw new WorldError('artifact_damaged', `the bytes are not those of ${digest}`);
    },
  };
}

const digestOf = (bytes: Uint8Array): Digest =>
  `sha256:${createHash('sha256').update(bytes).digest('hex')}` as Digest;
