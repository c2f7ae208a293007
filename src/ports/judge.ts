/**
 * How a judging lane (`oracle`, `observer`) is asked, and how its answer is read (XP-26, SL-42).
 */

import type { Definition } from '../domain/definition/definition.ts';
import type { Commit, ExecutionId, RunId } from '../domain/ids.ts';
import type { Verdict } from '../domain/verdict/verdict.ts';

export interface Judges {
  /**
   * Pure: the minimal prompt, inside the budgets of design/verification.md; everything that came
   * from a lane is quoted as data behind a fence that it cannot close.
   */
  prompt(request: JudgeRequest): string;
  /**
   * Reads the judge's last answer strictly and signs the receipt. Never throws for what a judge
   * said: anything but one clear verdict is `unparseable`.
   */
  verdict(request: JudgeRequest, answer: JudgeAnswer): Promise<Verdict>;
  /**
   * Pure: the prompt of one of a council, of what the engine tells it and the one artifact that it
   * looks at, which is fenced as that of a judge is.
   */
  opinion(brief: string, material: JudgeRequest['material']): string;
}

export interface JudgeRequest {
  readonly run: RunId;
  /** The judging execution: the verifier's identity comes from it, never from the answer. */
  readonly execution: ExecutionId;
  readonly definition: Definition;
  /** Index of the one criterion that is asked. */
  readonly criterion: number;
  readonly commit: Commit | null;
  readonly lastHint: string | null;
  /** The one artifact that is judged, as text (a patch, a path list); came from a lane. */
  readonly material: { readonly name: string; readonly text: string };
  /** For one who judges what is seen; absent: nothing was to be left. */
  readonly files?: ShownFiles;
}

/** What the maker left to be looked at, as the judge finds it in its own folder (EV-67). */
export interface ShownFiles {
  /** The work that they were left beside; may be another than the one that is judged. */
  readonly commit: Commit | null;
  /** There, byte for byte as attested; paths are relative to the judge's folder. */
  readonly shown: readonly { readonly path: string; readonly bytes: number }[];
  /** Not to be seen, each with why. */
  readonly unseen: readonly { readonly path: string; readonly why: string }[];
  /** Globs that no file fits. */
  readonly missing: readonly string[];
}

export interface JudgeAnswer {
  /** The judge's final text or result file; null when it gave none. */
  readonly text: string | null;
  /** False: the lane died, was cut or hit a limit; then the verdict is `verifier_unavailable`. */
  readonly ended: boolean;
  /** How its program ended. */
  readonly exit: { readonly exit: number | null; readonly signal: string | null };
  readonly durationMs: number;
}
