/**
 * What an agent in a lane is held to, clause by clause, and what can come of a clause. The results
 * are a closed set: a clause that was not tried says why, and a skip ends on a day.
 */
import type { FailureName } from '../model-server/failures.ts';

export type ClauseId =
  | `C${0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12}`
  | `F:${FailureName}`;

export type ClauseOutcome =
  | { readonly result: 'pass' }
  /** `contract`: the agent or its adapter; `infrastructure`: what the suite itself stands on. */
  | {
      readonly result: 'fail';
      readonly kind: 'contract' | 'infrastructure';
      readonly detail: string;
    }
  | { readonly result: 'skip'; readonly reason: string; readonly until: string }
  /** A clause that this one needs did not pass. */
  | { readonly result: 'not_run'; readonly after: ClauseId };

export interface ClauseResult {
  readonly clause: ClauseId;
  readonly title: string;
  readonly outcome: ClauseOutcome;
}

/** The day itself still counts. A day that is none has passed. */
export function isOver({ until }: Impossible, today: Date): boolean {
  const day = /^\d{4}-\d\d-\d\d$/.test(until) ? Date.parse(`${until}T23:59:59Z`) : Number.NaN;
  return !(today.getTime() <= day);
}

/** A clause that the agent cannot fulfil: the reason, and the day (`2027-03-01`) to look again. */
export interface Impossible {
  readonly reason: string;
  readonly until: string;
}

/** What is particular about one agent program. */
export interface AgentProfile {
  readonly name: string;
  /** The version that is installed; null: any. */
  readonly pinned: string | null;
  /** Variables that keep it from telemetry, surveys and updates: name → value. */
  readonly quietEnv: Readonly<Record<string, string>>;
  /** Files of its home that do the same: path → texts that stand in it. */
  readonly quietFiles: Readonly<Record<string, readonly string[]>>;
  /** Words of its command line that do the same. */
  readonly quietWords: readonly string[];
  /** Variables that tell it where its own home is. */
  readonly homeVariables: readonly string[];
  readonly impossible: Readonly<Partial<Record<ClauseId, Impossible>>>;
  /** Names that it asks for past every door, and cannot be kept from. */
  readonly outside?: Readonly<Record<string, Impossible>>;
  /** Its own tool for questions, where that is not in the list which the model is given. */
  readonly questionTool?: string;
  /** It cannot take up a session in the minute of the clock in which that began. */
  readonly restsUntilNextMinute?: boolean;
}

/** What the suite stands on gave way: no verdict about the agent. */
export class InfrastructureError extends Error {}
