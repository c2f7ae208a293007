import type { FailureClass, JobResult, ProofStrength, Usage } from '../execution/state.ts';

/** How a job's execution ended, as the run sees it. */
export type JobEnd =
  | { readonly how: 'sealed'; readonly result: JobResult }
  | {
      readonly how: 'lost';
      readonly class: FailureClass;
      readonly proof: ProofStrength;
      readonly detail: string;
      /** What its last beat reported; here and below. */
      readonly usage?: Usage;
    }
  | { readonly how: 'cancelled'; readonly proof: ProofStrength; readonly usage?: Usage }
  | { readonly how: 'unknown'; readonly detail: string; readonly usage?: Usage };
