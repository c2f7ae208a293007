/**
 * The page of a parked run as programs read it (DESIGN §13, UX 5.1): what is stuck, of which class,
 * the evidence, each recovery and each nudge with what became of it, and the options. Bounded, and
 * made of what was redacted where it was recorded; instants are milliseconds since the epoch.
 */
import { clip } from '../kernel/text.ts';
import type { RunView } from './client.ts';
import { lossOf, type RecoveryStory } from './recovery-story.ts';
import type { Story } from './story.ts';
import type { LastSigns } from './words.ts';

export interface Evidence {
  /** The artifact that its reason comes with: question, call, the verifier's own error. */
  readonly text: string | null;
  /** What the lane of the newest execution printed last, oldest first. */
  readonly printed: readonly string[];
}

/** Of what the lane printed. */
export const printedMax = 10;

const lineMax = 2_000;
const textMax = 16_384;
const pathsMax = 20;

export type Escalation = ReturnType<typeof escalationOf>;

export function escalationOf(view: RunView, story: Story, { text, printed }: Evidence) {
  const { lastEnd, lastLine, lastSigns } = story;
  const last = story.attempts.get(view.attempt.n);
  return {
    since: story.parkedAt,
    disposition: view.disposition,
    reason: view.reason,
    detail: lineOf(view.detail),
    // Where nothing failed, what it is stuck by is the reason itself.
    class: story.parkedClass ?? view.reason,
    job: {
      role: story.lastJob ?? story.parkedJob,
      attempt: view.attempt.n,
      execution: story.lastExecution,
    },
    evidence: {
      ended: lineOf(lastEnd),
      lastLine: lineOf(lastLine),
      printed: printed.slice(-printedMax).map((line) => clip(line, lineMax)),
      signs: lastSigns === null ? null : signsOf(lastSigns.signs, lastSigns.at),
      refused: last?.refused ?? null,
    },
    recoveries: story.recoveries.map((recovery) => {
      const { at, attempt, execution, class: what, action, signs } = recovery;
      const detail = clip(recovery.detail, lineMax);
      const known = { at, attempt, execution, class: what, detail, action };
      const told = signs === null ? null : signsOf(signs, at);
      return { ...known, signs: told, ...outcomeOf(story, recovery) };
    }),
    nudges: story.nudges.map(({ at, execution, n, detail }) => ({
      ...{ at, execution, n, detail: clip(detail, lineMax) },
      lost: lossTold(lossOf(story, execution)),
    })),
    text: text === null ? null : clip(text, textMax),
    paths: view.paths.slice(0, pathsMax),
    options: view.options,
  };
}

const lineOf = (text: string | null): string | null => (text === null ? null : clip(text, lineMax));

/** `open`: it is not known yet; `none`: it was the end of what was tried. */
function outcomeOf(story: Story, { next, hasHelped }: RecoveryStory) {
  const loss = lossOf(story, next);
  const left = next === null ? 'none' : 'open';
  const outcome = hasHelped ? 'went_on' : loss === null ? left : 'failed';
  return { outcome, failed: lossTold(loss) } as const;
}

const lossTold = (loss: RecoveryStory | null) =>
  loss === null
    ? null
    : { execution: loss.execution, class: loss.class, detail: clip(loss.detail, lineMax) };

/** With ages at the end of its execution, in milliseconds; null: never, or not known. */
function signsOf({ outputAt, fileAt, cpuAt, ...signs }: LastSigns, at: number) {
  const age = (instant: number | null) => (instant === null ? null : at - instant);
  return { ...signs, outputAgeMs: age(outputAt), fileAgeMs: age(fileAt), cpuAgeMs: age(cpuAt) };
}
