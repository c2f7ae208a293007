/**
 * The engine: a command with a principal is checked at the edge, decided by pure machines and
 * committed by the drain. Nothing that must happen later lives in memory: it is in the rows.
 */
import type { Instant } from '../domain/ids.ts';
import type { RunAggregate } from '../domain/run/aggregate.ts';
import type { RunCommand } from '../domain/run/message.ts';
import { unreachable } from '../kernel/invariant.ts';
import { err } from '../kernel/result.ts';
import type { AgentsHere } from '../ports/agents-here.ts';
import type { Artifacts } from '../ports/artifacts.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ids } from '../ports/ids.ts';
import type { Decide, Settled, Store } from '../ports/store.ts';
import { driverPrincipal, type EngineCommand, type EngineRejection } from './command.ts';
import { composeDecide } from './compose.ts';
import { type Drain, type DrainLimits, drain } from './drain.ts';
import { refusalOf } from './edge.ts';
import { detailMax, messageOf } from './words.ts';

export interface EngineOptions {
  readonly store: Store;
  readonly artifacts: Artifacts;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly agents?: AgentsHere;
  readonly limits?: DrainLimits;
}

/**
 * How a command ended. Everything else is thrown: {@link TransientError}, {@link
 * InvariantViolation}.
 */
export type Issued =
  | { readonly kind: 'committed'; readonly version: number; readonly aggregate: RunAggregate }
  | {
      readonly kind: 'rejected';
      readonly rejection: EngineRejection;
      readonly aggregate: RunAggregate;
    }
  /** The stream is not where the issuer saw it; nothing was decided. */
  | { readonly kind: 'version_moved'; readonly version: number };

export interface Engine {
  readonly store: Store;
  readonly artifacts: Artifacts;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Absent: no lane runs on this machine. */
  readonly agents?: AgentsHere;
  /**
   * Settles after the commit. A command that its principal may not issue is rejected as
   * `principal.human_required` and the refusal is recorded on the run.
   * @throws TransientError `store.busy` when the store could not commit in time.
   * @throws InvariantViolation a bug; the run was parked `internal_error`.
   */
  issue(command: EngineCommand): Promise<Issued>;
}

export function engine(options: EngineOptions): Engine {
  const { store, artifacts, clock, ids, agents } = options;
  const queue = drain<EngineCommand, EngineRejection>({
    store,
    clock,
    ids,
    decide: guarded,
    afterThrow: parkInstead,
    ...(options.limits === undefined ? {} : { limits: options.limits }),
  });

  return {
    store,
    artifacts,
    clock,
    ids,
    ...(agents === undefined ? {} : { agents }),
    issue: async (command) => {
      const settled = await queue.submit({ ...command, fraction: ids.fraction() });
      if (settled.kind === 'rejected' && isRefusal(settled.rejection)) {
        await recordRefusal(queue, command, clock.now());
      }
      return issued(settled);
    },
  };
}

/** The edge: what a principal may not issue is refused before it is decided (DESIGN §11a). */
const guarded: Decide<EngineCommand, EngineRejection> = (aggregate, command, held) => {
  const refusal = refusalOf(aggregate, command);
  if (refusal !== null) return err(refusal);
  const decided = composeDecide(aggregate, command);
  const { slots } = command;
  // A claim that is answered again takes no further slot: it is no decision that is ok.
  const isFull = decided.ok && slots !== undefined && held >= slots;
  return isFull ? err({ code: 'slots.full', slots }) : decided;
};

const isRefusal = ({ code }: EngineRejection): boolean =>
  code === 'principal.human_required' || code === 'principal.refused';

/** The run keeps who tried to pass its gate; a run that does not exist has nobody to tell. */
async function recordRefusal(
  queue: Drain<EngineCommand, EngineRejection>,
  refused: EngineCommand,
  at: Instant,
): Promise<void> {
  const { run, principal } = refused;
  const command: RunCommand = {
    type: 'record_refusal',
    command: refused.command.type,
    refused: principal,
    at,
    principal: driverPrincipal,
  };
  const { actor } = driverPrincipal;
  await queue.submit({ kind: 'run', run, at, actor, principal: driverPrincipal, command });
}

/** A command that threw is a bug of ours: its run stops and says so; nobody else is touched. */
function parkInstead(thrown: EngineCommand, error: unknown): EngineCommand | null {
  if (thrown.command.type === 'park_internal_error') return null;
  const { run, at } = thrown;
  const detail = `${thrown.command.type}: ${messageOf(error)}`.slice(0, detailMax);
  const { actor } = driverPrincipal;
  const command: RunCommand = {
    type: 'park_internal_error',
    detail,
    at,
    principal: driverPrincipal,
  };
  return { kind: 'run', run, at, actor, principal: driverPrincipal, command };
}

function issued(settled: Settled<EngineRejection>): Issued {
  switch (settled.kind) {
    case 'committed':
      return { kind: 'committed', version: settled.version, aggregate: settled.next };
    case 'rejected':
      return { kind: 'rejected', rejection: settled.rejection, aggregate: settled.next };
    case 'version_moved':
      return settled;
    case 'threw':
    case 'unavailable':
      throw settled.error;
    default:
      return unreachable(settled);
  }
}
