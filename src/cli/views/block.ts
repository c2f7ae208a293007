/** The part of the live view that is redrawn: what happens now, three lane lines, what is spent. */
import type { RunView } from '../../ports/client.ts';
import type { Story } from '../../ports/story.ts';
import { costOf } from '../../ports/story.ts';
import type { Definition } from '../../ports/words.ts';
import { count, money, shortSpan, span, spentMoney, words } from '../format.ts';
import { livenessOf, livenessWords, noWorkWords } from '../liveness.ts';
import { clean, cut, firstLine, spread, widthOf } from '../text.ts';
import { criterionWords } from './header.ts';
import { finishedLines, narrowColumns } from './lines.ts';

export interface Now {
  readonly view: RunView;
  readonly definition: Definition;
  readonly story: Story;
  readonly now: number;
  readonly at: (instant: number) => string;
  /** Newest last; at most three are shown. */
  readonly laneLines: readonly string[];
  readonly keys: string;
  readonly called: string;
  readonly columns: number;
}

const laneLinesMax = 3;

/** At most eight lines, none wider than the terminal. */
export function blockLines(scene: Now): string[] {
  const { columns } = scene;
  if (columns < narrowColumns) return [narrowLine(scene)];
  const lane = scene.laneLines.slice(-laneLinesMax).map((line) => laneLine(line, columns));
  return [
    ...presentLines(scene),
    ...(scene.view.phase === 'executing' ? lane : []),
    spentLine(scene),
  ];
}

export const laneLine = (line: string, columns: number): string =>
  cut(`             │ ${firstLine(line)}`, columns);

function presentLines(scene: Now): string[] {
  const { view, story, now, columns } = scene;
  const told = story.attempts.get(view.attempt.n);
  const isPrepare = view.phase === 'preparing';
  const startedAt = isPrepare ? (story.prepare.startedAt ?? view.startedAt) : told?.startedAt;
  const cost = costOf(story, view.attempt.n);
  const right = [
    ...(startedAt === undefined ? [] : [span(now - startedAt)]),
    ...(cost === null ? [] : [money({ ...cost, costKnown: true })]),
  ];
  const { label, text } = presentWords(scene);
  const sign = view.phase === 'waiting' ? '◷' : view.status === 'waiting_human' ? '?' : '●';
  return finishedLines({ sign, label, text, right, below: [] }, columns);
}

function presentWords(scene: Now): { readonly label: string; readonly text: string } {
  const { view, definition } = scene;
  if (view.phase !== 'preparing' || view.status !== 'active') {
    return { label: `attempt ${view.attempt.n}`, text: phaseWords(scene) };
  }
  const { phase, doing } = prepareWords(scene);
  const first = definition.workspace.setup?.command ?? definition.criteria.map(criterionWords)[0];
  return { label: phase, text: doing === '' ? firstLine(first ?? '') : doing };
}

export function phaseWords(scene: Now): string {
  const { view, now, at, called } = scene;
  const lively = livenessWords(view, now, called);
  if (view.noWork !== undefined) return noWorkWords(view);
  if (view.status === 'cancelling') return 'cancelling';
  if (view.status === 'waiting_human') return 'waiting for you';
  if (view.pausing === true) return join('pausing', lively);
  switch (view.phase) {
    case 'preparing': {
      const { phase, doing } = prepareWords(scene);
      return join(phase, doing);
    }
    case 'verifying':
      return verifyWords(scene);
    case 'waiting':
      return waitWords(view, now, at);
    default:
      return join(view.phase ?? words(view.status), lively);
  }
}

const checksSay = /^(?:setup: |\d+ of \d+: )/;

/** Setup and baseline are one job; what its process says tells which of the two goes on. */
function prepareWords({ view, definition, now, called }: Now) {
  const said = clean(livenessOf(view)?.detail ?? '');
  const isSetup = said.startsWith('setup: ');
  if (checksSay.test(said)) {
    return { phase: isSetup ? 'setup' : 'baseline', doing: said.replace(/^setup: /, '') };
  }
  const phase = definition.workspace.setup === null ? 'baseline' : 'setup';
  const lively = livenessWords(view, now, called);
  return { phase, doing: lively.startsWith('working') ? said : lively };
}

/** `verifying · 2 of 2: npm test in a clean checkout of 9b2e771 · 9s` */
function verifyWords({ view, definition, now, called }: Now): string {
  const liveness = livenessOf(view);
  const said = clean(liveness?.detail ?? '');
  if (said !== '' && liveness?.state === 'working_tool') {
    const age = liveness.since === null ? '' : shortSpan(Math.max(0, now - liveness.since));
    return join('verifying', said, age);
  }
  const checks = definition.criteria.filter(({ kind }) => kind !== 'manual').map(criterionWords);
  const lively = livenessWords(view, now, called);
  return join('verifying', checks.join(' · '), lively === 'working' ? '' : lively);
}

function waitWords({ waiting }: RunView, now: number, at: Now['at']): string {
  if (waiting === null) return 'waiting';
  const leftMs = Math.max(0, waiting.until - now);
  const left = `${at(waiting.until)} (in ${shortSpan(leftMs)})`;
  const detail = firstLine(waiting.detail);
  switch (waiting.reason) {
    case 'rate_limited':
      return `waiting for the limit until ${left}; no attempt spent`;
    case 'no_capacity':
      if (waiting.isForWorker === true) return `waiting for ${detail}`;
      return `waiting for a free slot${detail === '' ? '' : ` (${detail})`}`;
    case 'backoff':
      return `backing off ${shortSpan(leftMs)}${detail === '' ? '' : ` after ${detail}`}`;
    default:
      return `waiting until ${left}`;
  }
}

function join(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(' · ');
}

/** What gives way first: the keys but one, what was cached, the tokens. Money and time stay. */
function spentLine({ view, keys, columns }: Now): string {
  const { spent, granted } = view;
  const tokens = spent.tokensIn + spent.tokensOut;
  const cost =
    granted.costUsd === null
      ? `cost ${spentMoney(spent)}`
      : `${spentMoney(spent)} of $${granted.costUsd.toFixed(2)}`;
  const time =
    granted.timeMs === null
      ? shortSpan(spent.activeMs)
      : `${shortSpan(spent.activeMs)} of ${shortSpan(granted.timeMs)}`;
  const used = tokens > 0 ? `${count(tokens)} tokens` : '';
  const cached = spent.cacheRead > 0 ? `${used} (${count(spent.cacheRead)} cached)` : used;
  const whole = join(cost, cached, time);
  const help = keys.split(' · ').at(-1) ?? '';
  const wanted = [
    [whole, keys],
    [whole, help],
    [whole, ''],
    [join(cost, used, time), ''],
    [join(cost, time), ''],
  ] as const;
  const [left, right] = wanted.find(([a, b]) => widthOf(a) + widthOf(b) + 2 <= columns) ?? [
    join(cost, time),
    '',
  ];
  return spread(left, right, columns);
}

/** `att 2 exec tool 2m10s $0.34` */
function narrowLine(scene: Now): string {
  const { view, story, now, columns } = scene;
  const liveness = livenessOf(view);
  const since = liveness?.since ?? story.attempts.get(view.attempt.n)?.startedAt ?? view.startedAt;
  const cost = costOf(story, view.attempt.n);
  const parts = [
    `att ${view.attempt.n}`,
    view.phase === null ? restWord(view.status) : view.phase.slice(0, 4),
    ...(liveness === null ? [] : [stateWord(liveness.state)]),
    span(Math.max(0, now - since)),
    ...(cost === null ? [] : [money({ ...cost, costKnown: true })]),
  ];
  return cut(parts.join(' '), columns);
}

/** Short enough for a narrow line, and whole: `need` says nothing. */
function restWord(status: RunView['status']): string {
  return status === 'needs_operator' || status === 'waiting_human' ? 'needs you' : status;
}

function stateWord(state: string): string {
  const known: Readonly<Record<string, string>> = {
    working_tool: 'tool',
    working_local: 'work',
    working_protocol: 'work',
    working: 'work',
    stalled: 'stall',
    starting: 'start',
    completing: 'end',
    recovering: 'again',
  };
  return known[state] ?? state;
}
