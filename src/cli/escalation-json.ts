/**
 * The escalation as programs read it (DESIGN §13, UX 5.1): what is stuck, of which class, the
 * evidence, each recovery and each nudge with what became of it, and the options.
 */
import type { RunView } from '../ports/client.ts';
import type { LastSigns } from '../ports/words.ts';
import { iso } from './format.ts';
import { lossOf, type RecoveryStory, type Story } from './story.ts';

export interface Evidence {
  /** The artifact that its reason comes with: question, call, the verifier's own error. */
  readonly text: string | null;
  /** What the lane of the newest execution printed last, oldest first. */
  readonly printed: readonly string[];
}

export function escalationJson(view: RunView, story: Story, { text, printed }: Evidence) {
  const { lastEnd, lastLine, lastSigns } = story;
  const last = story.attempts.get(view.attempt.n);
  return {
    since: iso(story.parkedAt),
    disposition: view.disposition,
    reason: view.reason,
    detail: view.detail,
    // Where nothing failed, what it is stuck by is the reason itself.
    class: story.parkedClass ?? view.reason,
    job: {
      role: story.lastJob ?? story.parkedJob,
      attempt: view.attempt.n,
      execution: story.lastExecution,
    },
    evidence: {
      ended: lastEnd,
      lastLine,
      printed,
      signs: lastSigns === null ? null : signsJson(lastSigns.signs, lastSigns.at),
      refused: last?.refused ?? null,
    },
    recoveries: story.recoveries.map((recovery) => {
      const { at, attempt, execution, class: what, action, detail, signs } = recovery;
      const known = { at: iso(at), attempt, execution, class: what, detail, action };
      const told = signs === null ? null : signsJson(signs, at);
      return { ...known, signs: told, ...outcomeOf(story, recovery) };
    }),
    nudges: story.nudges.map(({ at, execution, n, detail }) => ({
      ...{ at: iso(at), execution, n, detail },
      lost: lossJson(lossOf(story, execution)),
    })),
    text,
    paths: view.paths,
    options: view.options,
  };
}

/** `open`: it is not known yet; `none`: it was the end of what was tried. */
function outcomeOf(story: Story, { next, hasHelped }: RecoveryStory) {
  const loss = lossOf(story, next);
  const left = next === null ? 'none' : 'open';
  const outcome = hasHelped ? 'went_on' : loss === null ? left : 'failed';
  return { outcome, failed: lossJson(loss) };
}

const lossJson = (loss: RecoveryStory | null) =>
  loss === null ? null : { execution: loss.execution, class: loss.class, detail: loss.detail };

/** With ages at the end of its execution, in milliseconds; null: never, or not known. */
function signsJson({ outputAt, fileAt, cpuAt, ...signs }: LastSigns, at: number) {
  const age = (instant: number | null) => (instant === null ? null : at - instant);
  return { ...signs, outputAgeMs: age(outputAt), fileAgeMs: age(fileAt), cpuAgeMs: age(cpuAt) };
}
