/**
 * What a kind of criterion is. A new kind is one file that exports one of these, and one line in
 * registry.ts (EV-69); neither the engine nor the verifier's flow knows kinds by name.
 */
import type { Digest } from '../../domain/ids.ts';
import type { TestCounts, VerdictOutcome } from '../../domain/verdict/verdict.ts';
import type { CancelSignal } from '../../kernel/cancel-signal.ts';
import type { CommandRun } from '../run-command.ts';

/** What every criterion has, known or yet to come. */
export interface AnyCriterion {
  readonly kind: string;
  readonly timeoutMs: number;
}

export interface CriterionKind {
  readonly kind: string;
  /** Who judges: the runtime here, a lane in an execution of its own, or a human. */
  readonly judgedBy: 'runtime' | 'lane' | 'human';
  /** The command, path or question, as people read it. */
  what(criterion: AnyCriterion): string;
  /** Null unless the runtime judges. Never throws for what a check does. */
  readonly check: ((criterion: AnyCriterion, scene: Scene) => Promise<Finding>) | null;
}

/** The place and the means that a criterion gets. */
export interface Scene {
  /** The tree's root, and the folder in it where checks run. */
  readonly tree: string;
  readonly directory: string;
  readonly signal: CancelSignal;
  /** The same commit, or the base that everything is compared with. */
  readonly side: 'base' | 'work';
  /** Runs a shell command here, contained, under a deadline, without stdin. */
  run(command: string, timeoutMs: number): Promise<CommandRun>;
  /** The same with the tests of the change laid over the base commit; null when that cannot be had. */
  runOnBase(command: string, timeoutMs: number): Promise<BaseRun>;
}

/** `changed`: how many test files differ from the base. `run` is null when none does. */
export interface BaseRun {
  readonly changed: readonly string[];
  readonly run: CommandRun | null;
}

/** What a look at one criterion found. */
export interface Finding {
  readonly outcome: VerdictOutcome;
  /** The cause in a word or two, when it is not the exit code: `deadline`, `exit 127`. */
  readonly unrunnable: string | null;
  readonly reasons: readonly string[];
  readonly score: number | null;
  readonly exit: number | null;
  readonly counts: TestCounts | null;
  readonly durationMs: number;
  readonly output: Digest | null;
  /** The last lines of the output, at most 2,000 characters. */
  readonly excerpt: string;
  readonly containment: { readonly rung: string; readonly proof: string } | null;
}
