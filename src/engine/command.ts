/** What the engine is asked to do, and how it refuses. */
import type { ExecutionCommand, ExecutionRejection } from '../domain/execution/message.ts';
import type { ExecutionId, Instant, RunId } from '../domain/ids.ts';
import type { Principal } from '../domain/principal/principal.ts';
import type { RunCommand, RunRejection } from '../domain/run/message.ts';
import type { StreamCommand } from '../ports/store.ts';

/** A command for one stream: of its run, or of one of the run's executions. */
export type EngineCommand = StreamCommand & {
  readonly principal: Principal;
  /** Uniform in [0, 1): jitter of the back-offs that this command may lead to. */
  readonly fraction?: number;
  /** A lane starts a run: whether the definition that it works under still allows one. */
  readonly nestedAllowed?: boolean;
  /** A result that its own execution refused: the one that replaces it may adopt it (X7). */
  readonly isLate?: boolean;
  /** A claim: at most so many executions may its worker hold (`heldBy`); absent: any number. */
  readonly slots?: number;
} & (
    | { readonly kind: 'run'; readonly command: RunCommand }
    | {
        readonly kind: 'execution';
        readonly execution: ExecutionId;
        readonly command: ExecutionCommand;
      }
  );

export type EngineRejection =
  | RunRejection
  | ExecutionRejection
  | { readonly code: 'slots.full'; readonly slots: number };

/** The engine's own pullers and reactions; the principal table calls them automation. */
export const driverPrincipal: Principal = {
  kind: 'driver',
  actor: 'driver',
  channel: 'driver',
  ancestry: null,
};

/** A lane host or check host that speaks through the Plane. */
export const workerPrincipal = (execution: ExecutionId): Principal => ({
  kind: 'worker',
  actor: execution,
  channel: 'plane',
  ancestry: null,
});

type WithoutIssuer<C> = C extends RunCommand ? Omit<C, 'at' | 'principal'> : never;
/** A command of a run before it is said who issues it, and when. */
export type RunRequest = WithoutIssuer<RunCommand>;

export const runCommand = (
  run: RunId,
  principal: Principal,
  at: Instant,
  request: RunRequest,
): EngineCommand => ({
  kind: 'run',
  run,
  at,
  actor: principal.actor,
  principal,
  command: { ...request, at, principal } as RunCommand,
});

/** What somebody says of one execution; when is what the command says. */
export const executionCommand = (
  run: RunId,
  execution: ExecutionId,
  principal: Principal,
  command: ExecutionCommand,
): EngineCommand => ({
  kind: 'execution',
  run,
  execution,
  at: command.at,
  actor: principal.actor,
  principal,
  command,
});
