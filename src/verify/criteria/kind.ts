/**
 * What a kind of criterion is. A new kind is one file that exports one of these, and one line in
 * registry.ts (EV-69); neither the engine nor the verifier's flow knows kinds by name.
 */
import type { Digest } from '../../domain/ids.ts';
import type { TestCounts, VerdictOutcome } from '../../domain/verdict/verdict.ts';
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
  readonly check: ((criterion: AnyCriterion, scene: Scene) => Promise<CriterionFinding>) | null;
}

/** The place and the means that a criterion gets. */
export interface Scene {
  /** The tree's root; nothing outside it counts. */
  readonly tree: string;
  /** The folder in it where checks run. */
  readonly directory: string;
  /** `base` in a baseline, `work` when an attempt is judged. */
  readonly side: 'base' | 'work';
  /** Runs a shell command here, contained, under a deadline, without stdin. */
  run(command: string, timeoutMs: number): Promise<CommandRun>;
  /** The same on the base commit with the changed tests of the work laid over it. */
  runOnBase(command: string, timeoutMs: number): Promise<BaseRun>;
}

/** `run` is null when no test file differs from the base, so that there was nothing to try. */
export interface BaseRun {
  readonly changed: readonly string[];
  readonly run: CommandRun | null;
  /** Counts of the plain base, from the baseline; null when it was not run. */
  readonly baseline: TestCounts | null;
}

/** What a look at one criterion found. */
export interface CriterionFinding {
  readonly outcome: VerdictOutcome;
  /** Why the check says nothing about the work (`exit 127: sh: vitest: not found`); else null. */
  readonly unrunnable: string | null;
  /** The same look may say something else the next time, so it is worth a second one. */
  readonly repeatable: boolean;
  /** Somebody else ended it: nothing is known of the work yet. */
  readonly isKilled: boolean;
  readonly score: number | null;
  readonly reasons: readonly string[];
  readonly exit: number | null;
  readonly counts: TestCounts | null;
  readonly durationMs: number;
  readonly output: Digest | null;
  /** The last lines of the output, at most 2,000 characters. */
  readonly excerpt: string;
  readonly containment: { readonly rung: string; readonly proof: string } | null;
}
