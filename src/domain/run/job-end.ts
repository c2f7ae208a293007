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

/** What the execution spent, as far as it was told. */
export function usageOf(end: JobEnd): Usage | null {
  if (end.how !== 'sealed') return end.usage ?? null;
  return end.result.kind === 'prepared' ? null : (end.result.usage ?? null);
}

/** Whether its processes are known to be gone. */
export function isProven(end: JobEnd): boolean {
  switch (end.how) {
    case 'unknown':
      return false;
    case 'sealed': {
      const { result } = end;
      if (result.kind === 'executed') return result.end.proof !== 'unproven';
      return result.kind !== 'failed' || result.proof !== 'unproven';
    }
    default:
      return end.proof !== 'unproven';
  }
}
