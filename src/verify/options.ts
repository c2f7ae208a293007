/** What the composition root gives the verifier. */
import type { Artifacts } from '../ports/artifacts.ts';
import type { Clock } from '../ports/clock.ts';
import type { Processes } from '../ports/processes.ts';
import type { CheckTrees } from '../ports/workspace.ts';
import type { CriterionKind } from './criteria/kind.ts';
import type { Signer } from './signer.ts';

export interface RuntimeChecksOptions {
  readonly trees: CheckTrees;
  readonly processes: Processes;
  readonly artifacts: Artifacts;
  readonly clock: Clock;
  readonly signer: Signer;
  /** `$PAWL_HOME`: prepared environments and baselines live below it. */
  readonly home: string;
  /** The environment of this process; only allow-listed names of it reach a check. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Check trees of one repository at once. */
  readonly slots?: number;
  /** Prepared environments are removed, least recently used first, above this. */
  readonly environmentBytesMax?: number;
  /** A failing check that took longer is not run again to see whether it is flaky. */
  readonly rerunWithinMs?: number;
  /** Replaces the built-in criterion kinds (EV-69). */
  readonly kinds?: readonly CriterionKind[];
}

export const runtimeChecksDefaults = {
  slots: 2,
  environmentBytesMax: 20 * 1024 ** 3,
  rerunWithinMs: 120_000,
} as const;

export type CheckSettings = Required<RuntimeChecksOptions>;
