/** What a server needs to speak the worker plane, and how its verbs are handled. */
import type { z } from 'zod';
import type { PlaneReply, PlaneVerb, planeVerbs } from '../../contract/plane.ts';
import type { Engine } from '../../engine/engine.ts';
import type { PlaneWorkers } from '../../engine/plane-workers.ts';
import type { BudgetSource } from '../../ports/budgets.ts';
import type { Plane } from '../../ports/plane.ts';
import type { SealJudge } from '../../ports/seals.ts';
import type { EventTail } from './event-tail.ts';
import type { RefusalLog } from './evidence.ts';
import type { ExecutionClaims, PlaneTokens, WorkerClaims } from './tokens.ts';

export interface PlaneServerOptions {
  readonly engine: Engine;
  /** In-process: the authority. */
  readonly plane: Plane;
  readonly workers: PlaneWorkers;
  readonly tokens: PlaneTokens;
  readonly refusals: RefusalLog;
  readonly seals: SealJudge;
  readonly tail: EventTail;
  readonly ttlMs: number;
  /** Over runs, as the driver reads them; absent: nothing is braked over runs. */
  readonly budgets?: BudgetSource;
  /** What only whoever runs the server may know. */
  readonly log: (line: string) => void;
  /** Name → reference in, name → value out; the value goes to the worker and nowhere else. */
  readonly credentials: (
    references: Readonly<Record<string, string>>,
  ) => Promise<Readonly<Record<string, string>>>;
  /** Verbs whose work is done elsewhere (sources and work as bundles). */
  readonly more?: ExecutionHandlers;
}

export type Message<V extends PlaneVerb> = z.infer<(typeof planeVerbs)[V]['request']>;
type Of<P extends string> = {
  [V in PlaneVerb]: (typeof planeVerbs)[V]['proof'] extends P ? V : never;
}[PlaneVerb];
export type OpenVerb = Of<'none' | 'code'>;
export type WorkerVerb = Of<'worker'>;
export type ExecutionVerb = Of<'execution'>;

/** Answers, or throws a PlaneRefusal. */
export type OpenHandlers = { readonly [V in OpenVerb]: (of: Message<V>) => Promise<PlaneReply<V>> };
export type WorkerHandlers = {
  readonly [V in WorkerVerb]: (
    of: Message<V>,
    who: WorkerClaims,
    signal: AbortSignal,
  ) => Promise<PlaneReply<V>>;
};
export type ExecutionHandlers = {
  readonly [V in ExecutionVerb]?: (of: Message<V>, who: ExecutionClaims) => Promise<PlaneReply<V>>;
};
