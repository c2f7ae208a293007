import { placementOf } from '../placement/placement.ts';
import type { Work } from '../run/message.ts';
import type { RunState } from '../run/state.ts';
import type { Job } from './state.ts';

/** What an execution is dispatched with, for the run's work row of that kind. */
export function jobOf(work: Dispatch, run: RunState): Job {
  const job = unplaced(work);
  const placement = run.status === 'unborn' ? null : placementOf(run, job.role);
  return placement === null ? job : { ...job, placement };
}

type Dispatch = Extract<Work, { kind: 'dispatch' }>;

function unplaced({ attempt, point, step }: Dispatch): Job {
  const none = { attempt, step: null, commit: null, tree: 'same', session: 'fresh' } as const;
  if (point.job === 'prepare') return { role: 'prepare', ...none };
  if (point.job === 'consult') {
    const { profile, commit } = point;
    return { role: 'consult', ...none, commit, profile };
  }
  const restore = point.restore === true ? ({ restore: true } as const) : {};
  if (point.job === 'execute') {
    const { commit, tree, session } = point;
    return { role: 'execute', attempt, step: null, commit, tree, session, ...restore };
  }
  const role = step === 'judge' ? 'judge' : 'verify';
  return { ...none, role, step: point.step, commit: point.commit, ...restore };
}
