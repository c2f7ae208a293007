/** Why a command of a run was not taken; nothing was written. */
import type { CouncilProblem } from '../../kernel/profiles.ts';
import type { ExecutionId } from '../ids.ts';
import type { PrincipalKind } from '../principal/principal.ts';
import type { OpenPaths } from './paths.ts';
import type { ParkReason } from './state.ts';

export type RunRejection =
  | { readonly code: 'run.unknown' }
  | { readonly code: 'run.exists' }
  /** The verb does not fit the state; `next` is what fits, without `pawl` and the id. */
  | {
      readonly code: 'run.wrong_state';
      readonly status: string;
      readonly reason: string | null;
      readonly next: readonly string[];
    }
  | { readonly code: 'principal.human_required'; readonly command: string }
  /** Not this kind of principal's to issue, or a run that it did not start. */
  | { readonly code: 'principal.refused'; readonly command: string; readonly kind: PrincipalKind }
  | {
      readonly code: 'grant.needed';
      readonly reason: ParkReason;
      readonly needs: readonly string[];
      readonly open?: OpenPaths;
    }
  | { readonly code: 'approval.resolved'; readonly outcome: string; readonly by: string }
  | { readonly code: 'approval.unknown' }
  /** `--from-attempt` of an attempt that has no recorded commit. */
  | { readonly code: 'attempt.unknown'; readonly attempt: number }
  | { readonly code: 'job.stale'; readonly execution: ExecutionId }
  | ({ readonly code: 'council.invalid' } & CouncilProblem)
  /** Another one is asked about the run now. */
  | { readonly code: 'council.open'; readonly profiles: readonly string[] }
  | { readonly code: 'terms.invalid'; readonly detail: string };
