/**
 * The page of a parked run (UX 5.1). It answers in this order: what is stuck, why it stopped, is
 * the work safe, what was tried, what can I do. It fits 40 lines; more is one command away.
 */

import { quotePath } from '../../kernel/text.ts';
import type { RunView } from '../../ports/client.ts';
import { costOf } from '../../ports/story.ts';
import type { AttemptSummary, Definition } from '../../ports/words.ts';
import { calledAs } from '../called.ts';
import { money, short, shortSpan, span, spentMoney, words } from '../format.ts';
import { detailBeyond, reasonWords } from '../next.ts';
import { clean, cut, firstLine, headed, padTo, widthOf, wrap } from '../text.ts';
import { type EvidencePage, evidenceRows } from './escalation-evidence.ts';
import { labelled } from './page.ts';
import { warningRows } from './warnings.ts';

export interface Parked extends EvidencePage {
  readonly definition: Definition;
  readonly now: number;
  /** Question, blocker or file list in full; null when there is none. */
  readonly text: string | null;
  /** What the best attempt counted in all, and what failed before anything was done. */
  readonly counted: { readonly total: number | null; readonly baselineFailed: number | null };
  readonly called: string;
}

const attemptsMax = 8;
const textLinesMax = 10;

export function escalationLines(page: Parked): string[] {
  const { view, columns, definition } = page;
  const since = page.story.parkedAt ?? view.updatedAt;
  const right = `since ${page.at(since)} (${shortSpan(page.now - since)})`;
  const row = (label: string, text: string): string[] => labelled(label, text, columns);
  return [
    ...headed(
      `! needs operator   ${view.name} ${view.short} · ${definition.project.name}`,
      right,
      columns,
      12,
    ),
    ...row('goal', firstLine(definition.intent.originalIntent)),
    ...row('stopped', stoppedWords(page)),
    ...nearestRows(page).flatMap((text) => row('nearest', text)),
    ...textRows(page),
    '',
    ...attemptRows(page),
    ...sameRows(page),
    ...evidenceRows(page),
    ...row('work', workWords(page)),
    ...row('spent', spentWords(view)),
    ...warningRows(view, page.story).flatMap(([label, text]) => row(label, text)),
    '',
    ...optionRows(page),
  ];
}

const jobs = { prepare: 'prepare', execute: 'execute', verify: 'execute→verify' } as const;

function stoppedWords({ view, story }: Parked): string {
  const beyond = detailBeyond(view);
  const detail = beyond === '' ? '' : ` · ${firstLine(beyond)}`;
  const max = view.attempt.max ?? '–';
  const spent = view.reason === 'attempts_exhausted' ? `, ${view.attempts.length} of ${max}` : '';
  const stuck = story.lastJob ?? story.parkedJob;
  const job = stuck === null ? '' : `        job: ${jobs[stuck]}, `;
  const execution = story.lastExecution === null ? '' : `, execution ${story.lastExecution}`;
  const failure = story.parkedClass === null ? '' : `, ${words(story.parkedClass)}`;
  const n = `${job === '' ? '        ' : job}attempt ${view.attempt.n}${execution}${failure}`;
  return `${words(view.disposition ?? 'escalated')}: ${reasonWords(view)}${spent}${detail}${n}`;
}

function nearestRows({ view, counted }: Parked): string[] {
  const best = view.attempts.find(({ n }) => n === view.best);
  if (best === undefined) return [];
  const last = view.attempts.at(-1);
  const { total, baselineFailed } = counted;
  const of = total === null || best.failedTests === null ? '' : ` of ${total}`;
  const before = baselineFailed === null ? '' : ` (baseline ${baselineFailed})`;
  const worse = last === undefined || last.n === best.n ? '' : ` · ${worseWords(best, last)}`;
  return [`attempt ${best.n}: ${shortSummary(best)}${of}${before}${worse}`];
}

function worseWords(best: AttemptSummary, last: AttemptSummary): string {
  const isWorse = (last.failedTests ?? 0) > (best.failedTests ?? Number.POSITIVE_INFINITY);
  return `attempt ${last.n} was ${isWorse ? 'worse' : 'no better'}: ${shortSummary(last)}`;
}

function textRows({ text, view, columns }: Parked): string[] {
  const paths = view.paths.map(quotePath);
  const lines =
    text === null
      ? paths
      : text
          .split('\n', 200)
          .map(clean)
          .filter((line) => line.trim() !== '');
  if (lines.length === 0) return [];
  const label = textLabels[String(view.reason)] ?? (paths.length > 0 ? 'paths' : 'said');
  const check = view.reason === 'unknown_outcome' ? ['check outside whether it happened'] : [];
  const more = lines.length > textLinesMax ? [`… ${lines.length - textLinesMax} more lines`] : [];
  return [...lines.slice(0, textLinesMax), ...more, ...check].flatMap((line, i) =>
    labelled(i === 0 ? label : '', line, columns).slice(0, linesOfOneMax),
  );
}

/** A paragraph that an agent wrote as one line still leaves room for the options. */
const linesOfOneMax = 4;

const textLabels: Readonly<Record<string, string>> = {
  blocked_by_question: 'question',
  unknown_outcome: 'call',
  verifier_unavailable: 'verifier',
  drift_detected: 'paths',
  protected_changed: 'paths',
};

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

function attemptCell(attempt: AttemptSummary, { view, story, counted }: Parked): string {
  const told = story.attempts.get(attempt.n);
  const cost = costOf(story, attempt.n);
  const { baselineFailed } = counted;
  const isCounted = attempt.n === 1 && baselineFailed !== null && attempt.failedTests !== null;
  const from = isCounted ? `${baselineFailed}→` : '';
  const sign = attempt.outcome === 'passed' ? '✓' : '✗';
  const parts = [
    `${attempt.n} ${sign} ${padTo(from + shortSummary(attempt), 14)}`,
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
  const { reasons, attempts, files } = same;
  if (reasons.length === 0) return [];
  const text = reasons.map((reason) => cut(firstLine(reason), 70)).join(' · ');
  const touched =
    files.length === 0 ? '' : `, same files touched: ${files.map(quotePath).join(', ')}`;
  return [
    ...labelled(`same ${reasons.length}`, text, columns),
    ...labelled('', `failing in attempts ${attempts.join(' and ')}${touched}`, columns),
  ];
}

function workWords({ view, story }: Parked): string {
  if (view.branch === null) return 'in the folder itself; there is no branch';
  if (view.head === null) return unrecordedWords(view, story);
  const best = view.attempts.find(({ n }) => n === view.best);
  const other =
    best?.commit == null || best.commit === view.head
      ? ''
      : `, attempt ${best.n} at ${short(best.commit)}`;
  // Attempts that changed nothing share a commit: the page marks one of them as the best.
  const at = view.attempts.filter(({ commit }) => commit === view.head);
  const of = at.find(({ n }) => n === view.best) ?? at.at(-1);
  const which = of === undefined ? '' : ` (attempt ${of.n})`;
  return `safe: ${view.branch} @ ${short(view.head)}${which}${other}`;
}

/** The files of a tree that was lost are not lost with it. */
function unrecordedWords(view: RunView, story: Parked['story']): string {
  const said = [view.detail ?? '', ...story.recoveries.map(({ detail }) => detail)].join(' ');
  const nothing = `nothing was recorded; ${view.branch} is at its base`;
  const ref = /refs\/pawl\/lost\/[\w.-]+/.exec(said)?.[0];
  if (ref !== undefined) return `${nothing}; the files are kept: git branch rescued ${ref}`;
  const isInTree = story.lastLane !== null && view.reason !== 'workspace_lost';
  return isInTree ? `${nothing}; what its lane wrote is in its tree` : nothing;
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
  const best = view.best === null ? '' : ` --attempt ${view.best}`;
  const more = [
    ...(view.branch === null ? [] : [`${called} diff ${view.short}${best}`]),
    `${called} logs ${view.short}${last === undefined ? '' : ` --attempt ${last}`}`,
    `${called} show ${view.short} ${view.receipt === null ? '--history' : '--receipt'}`,
  ].join(' · ');
  return ['  options', ...rows, ...labelled('more', more, columns)];
}
