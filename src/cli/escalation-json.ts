/**
 * The escalation as programs read it (DESIGN §13, UX 5.1): what is stuck, of which class, the
 * evidence, each recovery with what became of it, and the options.
 */
import type { RunView } from '../ports/client.ts';
import { iso } from './format.ts';
import { failureAfter, type Story } from './story.ts';

/** Null for a run that is not parked. */
export function escalationJson(view: RunView, story: Story, text: string | null) {
  if (view.status !== 'needs_operator') return null;
  const { lastJob, lastExecution, lastEnd, lastLine } = story;
  const last = story.attempts.get(view.attempt.n);
  return {
    since: iso(story.parkedAt),
    disposition: view.disposition,
    reason: view.reason,
    detail: view.detail,
    class: story.parkedClass,
    job: { role: lastJob, attempt: view.attempt.n, execution: lastExecution },
    evidence: { ended: lastEnd, lastLine, refused: last?.refused ?? null },
    recoveries: story.recoveries.map((recovery) => {
      const { at, attempt, execution, class: what, action, detail } = recovery;
      const next = failureAfter(story, recovery);
      const failed =
        next === null
          ? null
          : { execution: next.execution, class: next.class, detail: next.detail };
      return { at: iso(at), attempt, execution, class: what, detail, action, failed };
    }),
    text,
    paths: view.paths,
    options: view.options,
  };
}
