/**
 * The page of a parked run (UX 5.1). It answers in this order: what is stuck, why it stopped, is
 * the work safe, what was tried, what can I do. It fits 40 lines; more is one command away.
 */
import type { RunView } from '../../ports/client.ts';
import type { AttemptSummary, Definition } from '../../ports/words.ts';
import { calledAs } from '../called.ts';
import { money, plural, short, shortSpan, span, spentMoney, words } from '../format.ts';
import { reasonWords } from '../next.ts';
import { costOf, type Story } from '../story.ts';
import { clean, cut, firstLine, padTo, spread, widthOf, wrap } from '../text.ts';
import { labelled } from './page.ts';
import { warningRows } from './warnings.ts';

export interface Parked {
  readonly view: RunView;
  readonly definition: Definition;
  readonly story: Story;
  readonly now: number;
  readonly at: (instant: number) => string;
  /** Question, blocker or file list in full; null when there is none. */
  readonly text: string | null;
  /** Reasons that the last two failed attempts share. */
  readonly same: readonly string[];
  readonly called: string;
  readonly columns: number;
}

const attemptsMax = 8;
const textLinesMax = 10;

export function escalationLines(page: Parked): string[] {
  const { view, columns, definition } = page;
  const since = page.story.parkedAt ?? view.updatedAt;
  const right = `since ${page.at(since)} (${shortSpan(page.now - since)})`;
  const row = (label: string, text: string): string[] => labelled(label, text, columns);
  return [
    spread(
      `! needs operator   ${view.name} ${view.short} · ${definition.project.name}`,
      right,
      columns,
    ),
    ...row('goal', firstLine(definition.intent.originalIntent)),
    ...row('stopped', stoppedWords(page)),
    ...nearestRows(page).flatMap((text) => row('nearest', text)),
    ...textRows(page),
    '',
    ...attemptRows(page),
    ...sameRows(page),
    ...row('lane', laneWords(page)),
    ...row('recovery', recoveryWords(page)),
    ...row('work', workWords(view)),
    ...row('spent', spentWords(view)),
    ...warningRows(view, page.story).flatMap(([label, text]) => row(label, text)),
    '',
    ...optionRows(page),
  ];
}

function stoppedWords({ view, story }: Parked): string {
  const detail = view.detail === null || view.detail === '' ? '' : ` · ${firstLine(view.detail)}`;
  const n = `attempt ${view.attempt.n}${view.attempt.max === null ? '' : ` of ${view.attempt.max}`}`;
  const execution = story.lastExecution === null ? '' : `, execution ${story.lastExecution}`;
  const goal =
    view.reason === 'attempts_exhausted'
      ? `${view.attempts.length} of ${view.attempt.max ?? '–'}`
      : n;
  return `${words(view.disposition ?? 'escalated')}: ${reasonWords(view)}, ${goal}${execution}${detail}`;
}

function nearestRows({ view }: Parked): string[] {
  const best = view.attempts.find(({ n }) => n === view.best);
  if (best === undefined) return [];
  const last = view.attempts.at(-1);
  const baseline =
    view.baseline === null || view.baseline.summary === ''
      ? ''
      : ` (baseline: ${firstLine(view.baseline.summary)})`;
  const worse =
    last === undefined || last.n === best.n
      ? ''
      : ` · attempt ${last.n} was no better: ${shortSummary(last)}`;
  return [`attempt ${best.n}: ${shortSummary(best)}${baseline}${worse}`];
}

function textRows({ text, view, columns }: Parked): string[] {
  const paths = view.paths.map((path) => clean(path));
  const lines =
    text === null
      ? paths
      : text
          .split('\n', 200)
          .map(clean)
          .filter((line) => line.trim() !== '');
  if (lines.length === 0) return [];
  const label =
    view.reason === 'blocked_by_question' ? 'question' : paths.length > 0 ? 'paths' : 'said';
  const more = lines.length > textLinesMax ? [`… ${lines.length - textLinesMax} more lines`] : [];
  return [...lines.slice(0, textLinesMax), ...more].map((line, i) =>
    cut(`  ${padTo(i === 0 ? label : '', 10)}${line}`, columns),
  );
}

function attemptRows(page: Parked): string[] {
  const shown = page.view.attempts.slice(-attemptsMax);
  if (shown.length === 0) return ['  attempts  none was spent'];
  const cells = shown.map((attempt) => attemptCell(attempt, page));
  const half = Math.ceil(cells.length / 2);
  const left = cells.slice(0, half);
  const width = Math.max(...left.map(widthOf)) + 4;
  const twoColumns = cells.length > 3 && width * 2 + 12 <= page.columns;
  const rows = twoColumns
    ? left.map((cell, i) => padTo(cell, width) + (cells[half + i] ?? ''))
    : cells;
  return rows.map((row, i) =>
    cut(`  ${padTo(i === 0 ? 'attempts' : '', 10)}${row}`.trimEnd(), page.columns),
  );
}

function attemptCell(attempt: AttemptSummary, { view, story }: Parked): string {
  const told = story.attempts.get(attempt.n);
  const cost = costOf(story, attempt.n);
  const parts = [
    `${attempt.n} ${attempt.outcome === 'passed' ? '✓' : '✗'} ${padTo(shortSummary(attempt), 14)}`,
    told === undefined ? '' : span(attempt.endedAt - told.startedAt),
    cost === null ? '' : money({ ...cost, costKnown: true }),
    attempt.n === view.best
      ? `← best${attempt.commit === null ? '' : `, ${short(attempt.commit)}`}`
      : '',
  ];
  return parts.filter((part) => part !== '').join('  ');
}

function shortSummary(attempt: AttemptSummary): string {
  if (attempt.failedTests !== null) return `${attempt.failedTests} failed`;
  const text = firstLine(attempt.summary);
  return text === '' ? attempt.outcome : cut(text, 60);
}

function sameRows({ same, columns }: Parked): string[] {
  if (same.length === 0) return [];
  const text = same.map((reason) => cut(firstLine(reason), 70)).join(' · ');
  return labelled(`same ${same.length}`, `${text}   (in the last two attempts)`, columns);
}

function laneWords({ story }: Parked): string {
  if (story.lastEnd === null) return 'no turn has ended';
  const line =
    story.lastLine === null ? '' : ` · last line: "${cut(clean(story.lastLine).trim(), 100)}"`;
  return `its turn ended (${story.lastEnd})${line}`;
}

function recoveryWords({ story, at }: Parked): string {
  const shown = story.recoveries
    .slice(-3)
    .map(
      ({ at: when, attempt, class: what, action, detail }) =>
        `${at(when)} attempt ${attempt ?? '–'}: ${words(what)} → ${words(action)}${detail === '' ? '' : ` (${firstLine(detail)})`}`,
    );
  const recoveries = shown.length === 0 ? 'none was needed' : shown.join(' · ');
  const waits = story.waits.filter(({ reason }) => reason === 'rate_limited');
  const last = waits.at(-1);
  if (last === undefined) return recoveries;
  return `${recoveries}        limits: ${plural(waits.length, 'wait')}, last ${at(last.from)}–${at(last.until)}, no attempt spent`;
}

function workWords(view: RunView): string {
  if (view.branch === null) return 'in the folder itself; there is no branch';
  if (view.head === null) return `nothing was recorded; ${view.branch} is at its base`;
  const best = view.attempts.find(({ n }) => n === view.best);
  const other =
    best?.commit == null || best.commit === view.head
      ? ''
      : `, attempt ${best.n} at ${short(best.commit)}`;
  return `safe: ${view.branch} @ ${short(view.head)}${other}`;
}

function spentWords({ spent, granted }: RunView): string {
  const cost =
    granted.costUsd === null
      ? `${spentMoney(spent)}, cost not braked`
      : `${spentMoney(spent)} of $${granted.costUsd.toFixed(2)}`;
  const time =
    granted.timeMs === null
      ? span(spent.activeMs)
      : `${span(spent.activeMs)} of ${shortSpan(granted.timeMs)}`;
  return `${cost} · ${time}`;
}

function optionRows({ view, called, columns }: Parked): string[] {
  const options = view.options.map(({ command, effect }) => ({
    command: calledAs(command, called),
    effect,
  }));
  const width = Math.max(0, ...options.map(({ effect }) => widthOf(effect)));
  const longest = Math.max(0, ...options.map(({ command }) => widthOf(command)));
  const isWide = 9 + width + longest <= columns;
  const rows = options.flatMap(({ command, effect }, i) => {
    const n = `  ${String(i + 1).padStart(2)} `;
    if (isWide) return [`${n}${padTo(effect, width)}    ${command}`];
    return [cut(n + effect, columns), ...wrap(command, columns - 5).map((line) => `     ${line}`)];
  });
  const last = view.attempts.at(-1)?.n;
  const more = [
    ...(view.branch === null ? [] : [`${called} diff ${view.short}`]),
    `${called} logs ${view.short}${last === undefined ? '' : ` --attempt ${last}`}`,
    `${called} show ${view.short} --history`,
  ].join(' · ');
  return ['  options', ...rows, ...labelled('more', more, columns)];
}
