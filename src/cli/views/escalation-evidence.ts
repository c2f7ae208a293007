/**
 * The evidence on the page of a parked run (RR-32): how the lane ended, what it was last seen to
 * do, what it printed last, how it was nudged, each recovery with what became of it.
 */
import { refusalWords } from '../../kernel/refusals.ts';
import type { RunView } from '../../ports/client.ts';
import { lossOf, type RecoveryStory } from '../../ports/recovery-story.ts';
import type { NudgeStory, Story } from '../../ports/story.ts';
import { plural, shortSpan, words } from '../format.ts';
import { detailBeyond } from '../next.ts';
import { clean, cut, firstLine } from '../text.ts';
import { labelled } from './page.ts';

export interface EvidencePage {
  readonly view: RunView;
  readonly story: Story;
  readonly same: SameReasons;
  readonly at: (instant: number) => string;
  /** What the lane of the newest execution printed last, oldest first; empty: not to be had. */
  readonly printed: readonly string[];
  readonly columns: number;
}

/** What the last two failed attempts share: the sign of a wall. */
export interface SameReasons {
  readonly reasons: readonly string[];
  readonly attempts: readonly number[];
  /** Files that both changed. */
  readonly files: readonly string[];
}

const recoveriesMax = 6;
const nudgesMax = 3;
const printedMax = 3;

export function evidenceRows(page: EvidencePage): string[] {
  return [
    ...laneRows(page),
    ...signRows(page),
    ...printedRows(page),
    ...nudgeRows(page),
    ...refusedRows(page),
    ...recoveryRows(page),
  ];
}

function laneRows({ view, story, same, columns }: EvidencePage): string[] {
  if (story.lastEnd === null) return labelled('lane', 'no turn has ended', columns);
  const said = story.lastLine === null ? '' : cut(firstLine(story.lastLine), 100);
  const end = withoutStopped(view, story.lastEnd);
  const how = end === 'exit 0' ? 'ended normally (exit 0)' : `ended: ${end}`;
  const line = said === '' ? '' : ` · last line: "${said}"`;
  const n = same.reasons.length;
  const isClaim = n > 0 && /flak|unrelated|random|intermittent/i.test(said);
  const denied = `they are not: the same ${n} failed in 2 attempts, with the same messages`;
  return [
    ...labelled('lane', how + line, columns),
    ...(isClaim ? labelled('', denied, columns) : []),
  ];
}

/** `lane died: why`, without the why where the row `stopped` tells it, if only its beginning. */
function withoutStopped(view: RunView, end: string): string {
  const told = detailBeyond(view);
  const [what = '', ...why] = end.split(': ');
  const whole = why.join(': ');
  const begins = told.endsWith('…') && whole.startsWith(told.slice(0, -1));
  return whole === told || begins ? what : end;
}

/** Ages are those at its end: what it did not do for how long, and what it still did. */
function signRows({ story, columns }: EvidencePage): string[] {
  if (story.lastSigns === null) return [];
  const { at, signs } = story.lastSigns;
  const { state, reason, delivery, stalledMs, outputAt, fileAt, cpuAt } = signs;
  const before = (what: string, instant: number | null) =>
    instant === null ? `${what} never` : `${what} ${shortSpan(at - instant)} before`;
  const why = reason === null ? '' : ` (${words(reason)})`;
  const stalled = stalledMs === 0 ? '' : `, stalled for ${shortSpan(stalledMs)} in all`;
  const prompt = delivery === null ? [] : [`prompt ${words(delivery)}`];
  const told = [
    `${words(state)}${why}${stalled}`,
    before('output', outputAt),
    before('files', fileAt),
    before('CPU', cpuAt),
    ...prompt,
  ];
  return labelled('signs', clean(told.join(' · ')), columns);
}

/** Of a lane that left no result; what one says at its end stands beside that. */
function printedRows({ story, printed, columns }: EvidencePage): string[] {
  if (story.lastLine !== null) return [];
  return printed
    .slice(-printedMax)
    .flatMap((line, i) => labelled(i === 0 ? 'printed' : '', cut(firstLine(line), 100), columns));
}

function nudgeRows({ view, story, at, columns }: EvidencePage): string[] {
  const own = story.nudges.filter(
    ({ execution }) => story.attemptOf.get(execution) === view.attempt.n,
  );
  return own
    .slice(-nudgesMax)
    .flatMap((one, i) =>
      labelled(i === 0 ? 'nudged' : '', `${at(one.at)} ${nudgeWords(story, one)}`, columns),
    );
}

function nudgeWords(story: Story, { execution, n, detail }: NudgeStory): string {
  const then = lossOf(story, execution);
  const after = then === null ? '' : `, then: ${words(then.class)}`;
  return `no. ${n} (${firstLine(detail)})${after}`;
}

/** Of the newest attempt that was refused a call: it may be why the others came to nothing. */
function refusedRows({ story, columns }: EvidencePage): string[] {
  const refused = [...story.attempts.values()].filter((attempt) => attempt.refused !== null);
  const last = refused.at(-1);
  if (last?.refused == null) return [];
  const also = refused.length === 1 ? '' : `; in ${plural(refused.length, 'attempt')}`;
  const text = `attempt ${last.n}: ${clean(refusalWords(last.refused))}${also}`;
  return labelled('refused', text, columns);
}

/** Where recoveries are spent each one is told; elsewhere the last three are enough. */
function recoveryRows({ view, story, at, columns }: EvidencePage): string[] {
  const isReason = view.reason === 'recovery_exhausted';
  const said = isReason ? '' : detailBeyond(view);
  const shown = story.recoveries
    .filter(({ isAsked }) => !isAsked)
    .slice(isReason ? -recoveriesMax : -3)
    .map((one) => `${at(one.at)} ${recoveryWords(one, said)}${outcomeWords(story, one)}`);
  const limits = limitWords(story, at);
  const row = (text: string, i: number) => labelled(i === 0 ? 'recovery' : '', text, columns);
  if (isReason) return [...shown, ...(limits === '' ? [] : [limits])].flatMap(row);
  const recoveries = shown.length === 0 ? 'none was needed' : shown.join(' · ');
  return row(limits === '' ? recoveries : `${recoveries}        ${limits}`, 0);
}

/** With its reason, unless that is `said` above. */
function recoveryWords(recovery: RecoveryStory, said: string): string {
  const { attempt, class: what, action, detail } = recovery;
  const why = ['', said].includes(detail) ? '' : ` (${firstLine(detail)})`;
  return `attempt ${attempt ?? '–'}: ${words(what)} → ${words(action)}${why}`;
}

/** What became of it: nothing is said of one whose execution is under way or was not needed. */
function outcomeWords(story: Story, { next, hasHelped }: RecoveryStory): string {
  if (hasHelped) return ', it went on';
  const loss = lossOf(story, next);
  return loss === null ? '' : `, failed: ${words(loss.class)}`;
}

function limitWords(story: Story, at: EvidencePage['at']): string {
  const waits = story.waits.filter(({ reason }) => reason === 'rate_limited');
  const last = waits.at(-1);
  if (last === undefined) return '';
  const count = waits.length === 1 ? 'one wait' : `${waits.length} waits, last`;
  return `limits: ${count} ${at(last.from)}–${at(last.until)}, no attempt spent`;
}
