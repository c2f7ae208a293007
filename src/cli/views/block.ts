/** The part of the live view that is redrawn: what happens now, three lane lines, what is spent. */
import type { RunView } from '../../ports/client.ts';
import type { Definition } from '../../ports/words.ts';
import { count, money, short, shortSpan, span, spentMoney } from '../format.ts';
import { livenessWords } from '../liveness.ts';
import type { Story } from '../story.ts';
import { costOf } from '../story.ts';
import { cut, firstLine, spread, widthOf } from '../text.ts';
import { criterionWords } from './header.ts';
import { finishedLines } from './lines.ts';

export interface Now {
  readonly view: RunView;
  readonly definition: Definition;
  readonly story: Story;
  readonly now: number;
  readonly at: (instant: number) => string;
  /** Newest last; at most three are shown. */
  readonly laneLines: readonly string[];
  readonly keys: string;
  readonly columns: number;
}

const laneLinesMax = 3;

/** At most eight lines, none wider than the terminal. */
export function blockLines(scene: Now): string[] {
  const { columns } = scene;
  if (columns < 60) return [narrowLine(scene)];
  const lane = scene.laneLines
    .slice(-laneLinesMax)
    .map((line) => cut(`             │ ${firstLine(line)}`, columns));
  return [
    ...presentLines(scene),
    ...(scene.view.phase === 'executing' ? lane : []),
    spentLine(scene),
  ];
}

function presentLines(scene: Now): string[] {
  const { view, story, now, columns } = scene;
  const told = story.attempts.get(view.attempt.n);
  const startedAt =
    view.phase === 'preparing' ? (story.prepare.startedAt ?? view.startedAt) : told?.startedAt;
  const cost = costOf(story, view.attempt.n);
  const right = [
    ...(startedAt === undefined ? [] : [span(now - startedAt)]),
    ...(cost === null ? [] : [money({ ...cost, costKnown: true })]),
  ];
  const label = view.phase === 'preparing' ? 'setup' : `attempt ${view.attempt.n}`;
  const sign = view.phase === 'waiting' ? '◷' : '●';
  return finishedLines({ sign, label, text: phaseWords(scene), right, below: [] }, columns);
}

export function phaseWords({ view, definition, now, at }: Now): string {
  const lively = livenessWords(view, now);
  if (view.status === 'cancelling') return 'cancelling';
  switch (view.phase) {
    case 'preparing':
      return join('setup and baseline', definition.workspace.setup?.command ?? null, lively);
    case 'executing':
      return join('executing', null, lively);
    case 'verifying':
      return join('verifying', verifyWords(view, definition), lively === 'working' ? '' : lively);
    case 'waiting':
      return waitWords(view, now, at);
    default:
      return view.phase ?? view.status;
  }
}

function verifyWords(view: RunView, definition: Definition): string {
  const checks = definition.criteria.filter(({ kind }) => kind !== 'manual').map(criterionWords);
  const where = view.head === null ? '' : ` in a clean checkout of ${short(view.head)}`;
  return `${checks.join(' · ')}${where}`;
}

function waitWords({ waiting, resumesAt }: RunView, now: number, at: Now['at']): string {
  if (waiting === null) return 'waiting';
  const left = `${at(waiting.until)} (in ${shortSpan(Math.max(0, waiting.until - now))})`;
  if (waiting.reason === 'rate_limited') {
    return `waiting for the limit until ${resumesAt === null ? left : left}; no attempt spent`;
  }
  return waiting.reason === 'no_capacity' ? 'waiting for a free slot' : `waiting until ${left}`;
}

function join(first: string, second: string | null, third: string): string {
  return [first, second, third].filter((part) => part !== null && part !== '').join(' · ');
}

function spentLine({ view, now, keys, columns }: Now): string {
  const { spent, granted } = view;
  const tokens = spent.tokensIn + spent.tokensOut;
  const cached = spent.cacheRead > 0 ? ` (${count(spent.cacheRead)} cached)` : '';
  const activeMs = Math.max(spent.activeMs, now - view.startedAt - spent.waitedMs);
  const parts = [
    granted.costUsd === null
      ? `cost ${spentMoney(spent)}`
      : `${spentMoney(spent)} of $${granted.costUsd.toFixed(2)}`,
    ...(tokens > 0 ? [`${count(tokens)} tokens${cached}`] : []),
    granted.timeMs === null
      ? shortSpan(activeMs)
      : `${shortSpan(activeMs)} of ${shortSpan(granted.timeMs)}`,
  ];
  const left = parts.join(' · ');
  // The keys give way before a figure does.
  return widthOf(left) + widthOf(keys) + 2 > columns
    ? cut(left, columns)
    : spread(left, keys, columns);
}

function narrowLine(scene: Now): string {
  const { view, now, columns } = scene;
  const told = scene.story.attempts.get(view.attempt.n);
  const age = told === undefined ? '' : ` ${span(now - told.startedAt)}`;
  const phase = (view.phase ?? view.status).slice(0, 4);
  return cut(`att ${view.attempt.n} ${phase}${age} ${spentMoney(view.spent)}`, columns);
}
