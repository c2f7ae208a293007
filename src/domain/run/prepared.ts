/** What setup and baseline lead to: the first turn, or a refusal before anything is spent. */
import { clipLine } from '../../kernel/text.ts';
import type { JobResult } from '../execution/state.ts';
import { add, type Draft } from './draft.ts';
import { park } from './park.ts';
import { proceed } from './proceed.ts';

type Prepared = Extract<JobResult, { kind: 'prepared' }>;

export const appendedLook =
  'The checks already passed before any work, so they cannot prove the goal: look at the result.';

export function prepared(draft: Draft, result: Prepared): Draft {
  const { baseline, setup, summary, receipt } = result;
  const recorded = add(draft, { type: 'baseline.recorded', outcome: baseline, summary, receipt });
  if (setup === 'failed' || baseline === 'unrunnable') return refuse(recorded, summary);
  const judged = needsLook(recorded, baseline)
    ? add(recorded, { type: 'criterion.appended', look: appendedLook })
    : recorded;
  const commit = judged.run.head;
  const first = { job: 'execute', session: 'fresh', tree: 'same', commit } as const;
  return proceed(judged, first, { why: 'next' });
}

/** A check that already passes cannot prove the goal; a look that was asked for anyway can. */
function needsLook({ run }: Draft, baseline: Prepared['baseline']): boolean {
  const { terms } = run;
  const looks = terms.steps.some(({ kind }) => kind === 'manual');
  const isAsked = terms.baseline === 'auto' && terms.dryRun !== true;
  return baseline === 'green' && isAsked && !looks;
}

/** In the foreground somebody reads the refusal now; detached, it waits for the operator. */
export function refuse(draft: Draft, detail: string): Draft {
  if (draft.run.terms.detached) {
    const then = { job: 'prepare' } as const;
    return park(draft, 'setup_failed', { detail, then, class: 'setup_failed' });
  }
  return add(draft, {
    type: 'run.cancelled',
    cause: 'refused',
    note: clipLine(detail, 200),
    retriedAs: null,
    unproven: [],
  });
}
