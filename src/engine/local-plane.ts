/**
 * The {@link Plane} in this process: a lane host's or check host's view of the engine. It turns
 * messages into commands, answers what was accepted before with the same acknowledgement, and keeps
 * what was refused as evidence, where it changes nothing.
 */
import type { ExecutionCommand } from '../domain/execution/message.ts';
import type { Execution, ExecutionRole, JobResult } from '../domain/execution/state.ts';
import type { Digest, ExecutionId, Fence } from '../domain/ids.ts';
import type { RunAggregate } from '../domain/run/aggregate.ts';
import { isDiskFull } from '../kernel/disk-full.ts';
import type { ClaimAnswer, ClaimRequest, Granted, Plane, PlaneAnswer } from '../ports/plane.ts';
import { wasAccepted } from './accepted-before.ts';
import { assembleDispatch } from './assemble-dispatch.ts';
import {
  driverPrincipal,
  type EngineCommand,
  executionCommand,
  workerPrincipal,
} from './command.ts';
import type { Engine, Issued } from './engine.ts';
import { isWhole } from './late-seal.ts';
import { runOf } from './run-of.ts';
import { toldOf } from './supervise/lane-facts.ts';
import { messageOf } from './words.ts';

export interface LocalPlaneOptions {
  /** How long a lease lives without a beat. */
  readonly ttlMs?: number;
  /** Of this program: named in every dispatch as what does the work. */
  readonly version?: string;
}

type Verb = 'start' | 'ask' | 'checkpoint' | 'result' | 'cancel_ack';
type Message = Granted & { readonly digest: Digest | null };

/** As the contract of the plane names it: evidence is read beside that. */
const wordOf = (verb: Verb): string => (verb === 'cancel_ack' ? 'cancel-ack' : verb);

export function localPlane(engine: Engine, options: LocalPlaneOptions = {}): Plane {
  const ttlMs = options.ttlMs ?? 30_000;
  const tell = (message: Message, command: ExecutionCommand & { readonly type: Verb }) =>
    deliver(engine, message, command);

  return {
    claim: (request) => claim(engine, request, { ttlMs, version: options.version }),
    start: ({ execution, grantId, rung, pid }) => {
      const command = { type: 'start', grantId, rung, pid, at: engine.clock.now() } as const;
      return tell({ execution, grantId, digest: null }, command);
    },
    heartbeat: async (message) => {
      const answer = await engine.store.heartbeat(message);
      if (answer.ok || (await hasSealed(engine, message))) return answer;
      await keepEvidence(engine, 'heartbeat', message, answer.reason);
      return answer;
    },
    ask: ({ execution, grantId, ask }) => {
      const command = { type: 'ask', grantId, ask, at: engine.clock.now() } as const;
      return tell({ execution, grantId, digest: null }, command);
    },
    checkpoint: ({ execution, grantId, body }) => {
      const command = { type: 'checkpoint', grantId, body, at: engine.clock.now() } as const;
      return tell({ execution, grantId, digest: body }, command);
    },
    result: async ({ execution, grantId, seal, result, attestation }) => {
      const message = { execution, grantId, digest: seal };
      const row = await engine.store.execution(execution);
      if (row !== null && !fits(row.role, result)) {
        return refuse(engine, 'result', message, 'result.wrong_kind');
      }
      const at = engine.clock.now();
      const attested = attestation === undefined ? {} : { attestation };
      const signs = row === null ? null : toldOf(row);
      const seen = signs === null ? {} : { signs };
      return tell(message, { type: 'result', grantId, seal, result, at, ...attested, ...seen });
    },
    cancelAck: async ({ execution, grantId, proof }) => {
      const spent = (await engine.store.execution(execution))?.usage ?? null;
      const usage = spent === null ? {} : { usage: spent };
      const at = engine.clock.now();
      const command = { type: 'cancel_ack', grantId, proof, at, ...usage } as const;
      return tell({ execution, grantId, digest: null }, command);
    },
  };
}

/** A holder beats until its seal is answered: a beat that crosses that answer tells of nothing. */
async function hasSealed({ store }: Engine, { execution, grantId }: Granted): Promise<boolean> {
  const loaded = await store.loadRun(runOf(execution));
  const own = loaded === null ? null : openIn(loaded.aggregate, execution);
  return own !== null && own.seal !== null && own.grant?.id === grantId;
}

const handedIn = {
  prepare: 'prepared',
  execute: 'executed',
  verify: 'verified',
  judge: 'verified',
  consult: 'advised',
} as const satisfies Readonly<Record<ExecutionRole, JobResult['kind']>>;

/** A maker cannot hand in a judgement, nor a checker a piece of work (R1). */
function fits(role: ExecutionRole, result: JobResult): boolean {
  if (result.kind === 'failed') return true;
  return result.kind === handedIn[role];
}

async function deliver(
  engine: Engine,
  message: Message,
  command: ExecutionCommand & { readonly type: Verb },
): Promise<PlaneAnswer> {
  const issued = await engine.issue(asWorker(message.execution, command));
  if (issued.kind === 'committed') return { ok: true };
  const reason = issued.kind === 'rejected' ? issued.rejection.code : 'version_moved';
  if (reason === 'already.accepted') return { ok: true };
  const word = wordOf(command.type);
  if (command.type === 'ask') return refuse(engine, word, message, reason);
  if (await wasAccepted(engine.store, message.execution, command)) return { ok: true };
  if (await isAdopted(engine, message.execution, command)) return { ok: true };
  return refuse(engine, word, message, reason);
}

/** A seal that comes after its lease was lost is not lost while nobody has begun anew (X7). */
async function isAdopted(
  engine: Engine,
  execution: ExecutionId,
  command: ExecutionCommand,
): Promise<boolean> {
  if (command.type !== 'result' || !(await isWhole(engine.artifacts, command.result))) return false;
  const issued = await engine.issue({ ...asWorker(execution, command), isLate: true });
  if (issued.kind === 'rejected') return issued.rejection.code === 'already.accepted';
  return issued.kind === 'committed';
}

async function refuse(
  engine: Engine,
  verb: string,
  message: Message,
  reason: string,
): Promise<PlaneAnswer> {
  await keepEvidence(engine, verb, message, reason);
  return { ok: false, reason };
}

async function keepEvidence(
  engine: Engine,
  verb: string,
  message: Granted & { readonly digest?: Digest | null },
  reason: string,
): Promise<void> {
  await engine.store.recordEvidence({
    execution: message.execution,
    verb,
    reason,
    grantPresented: message.grantId,
    digest: message.digest ?? null,
    at: engine.clock.now(),
  });
}

interface Terms {
  readonly ttlMs: number;
  readonly version: string | undefined;
}

async function claim(
  engine: Engine,
  request: ClaimRequest,
  { ttlMs, version }: Terms,
): Promise<ClaimAnswer> {
  const { execution, holder, nonce, slots, labels } = request;
  const command = asWorker(execution, {
    type: 'claim',
    grantId: engine.ids.grant(),
    nonce,
    // Counted inside the decision; what stands here is not used.
    fence: 0 as Fence,
    holder,
    ...(labels === undefined ? {} : { labels }),
    at: engine.clock.now(),
  });
  const counted = slots === undefined ? {} : { slots, heldBy: holder.worker };
  const issued = await engine.issue({ ...command, ...counted });
  const held = heldBy(issued, request);
  if (held === null) return { ok: false, reason: reasonOf(issued) };
  try {
    const dispatch = await assembleDispatch({ ...engine, version }, held.aggregate, held.execution);
    const { id: grantId, fence } = held.grant;
    return { ok: true, grantId, fence, ttlMs, dispatch };
  } catch (error: unknown) {
    const detail = messageOf(error);
    await giveUp(engine, execution, error);
    return { ok: false, reason: `dispatch_failed: ${detail}` };
  }
}

/** The grant that this request has now, or was given before for the same nonce. */
function heldBy(issued: Issued, request: ClaimRequest) {
  if (issued.kind === 'version_moved') return null;
  if (issued.kind === 'rejected' && issued.rejection.code !== 'already.accepted') return null;
  const { aggregate } = issued;
  const execution = openIn(aggregate, request.execution);
  const grant = execution?.grant ?? null;
  if (execution === null || grant === null || grant.nonce !== request.nonce) return null;
  // A nonce is no proof of who asks: what another worker holds is not to be had with it.
  if (grant.holder.worker !== request.holder.worker) return null;
  return { aggregate, execution, grant };
}

const openIn = (aggregate: RunAggregate, execution: ExecutionId): Execution | null =>
  aggregate.executions.find(({ id }) => id === execution) ?? null;

function reasonOf(issued: Issued): string {
  const code = issued.kind === 'rejected' ? issued.rejection.code : 'execution.taken';
  return code === 'already.accepted' ? 'execution.taken' : code;
}

/**
 * A dispatch that cannot be put together is the engine's failure, known before anything ran
 * (EV-48).
 */
async function giveUp(engine: Engine, execution: ExecutionId, error: unknown): Promise<void> {
  const at = engine.clock.now();
  const failure = isDiskFull(error) ? ('disk_full' as const) : ('dispatch_failed' as const);
  const lose = { type: 'lose', class: failure, proof: 'kernel', detail: messageOf(error) } as const;
  await engine.issue(
    executionCommand(runOf(execution), execution, driverPrincipal, { ...lose, at }),
  );
}

const asWorker = (execution: ExecutionId, command: ExecutionCommand): EngineCommand =>
  executionCommand(runOf(execution), execution, workerPrincipal(execution), command);
