/** Pages of one run: while it works, one attempt, its history, its events. Pure. */
import { type Refusals, refusalWords } from '../../kernel/refusals.ts';
import type { RunView } from '../../ports/client.ts';
import type { StoredEvent } from '../../ports/store.ts';
import { type AttemptStory, costOf, type Story } from '../../ports/story.ts';
import type { Definition, Verdict } from '../../ports/words.ts';
import type { ChangedFile } from '../../ports/workspace.ts';
import { money, plural, short, span, spentMoney, words } from '../format.ts';
import { stepsFor } from '../next.ts';
import { clean, cut, firstLine, padTo, spread } from '../text.ts';
import { phaseWords } from './block.ts';
import { changedWords, resultWords } from './final.ts';
import { criterionWords } from './header.ts';
import { labelled } from './page.ts';
import { warningRows } from './warnings.ts';

export interface OpenPage {
  readonly view: RunView;
  readonly definition: Definition;
  readonly story: Story;
  readonly now: number;
  readonly at: (instant: number) => string;
  readonly called: string;
  readonly columns: number;
}

export function openLines(page: OpenPage): string[] {
  const { view, definition, columns, now, story } = page;
  const row = (label: string, text: string): string[] => labelled(label, text, columns);
  const n = `attempt ${view.attempt.n}${view.attempt.max === null ? '' : ` of ${view.attempt.max}`}`;
  const steps = stepsFor(view, page.called);
  const width = Math.max(0, ...steps.map(({ command }) => command.length));
  return [
    spread(
      `● ${words(view.status)}   ${view.name} ${view.short} · ${definition.project.name}`,
      `${n} · ${span(now - view.startedAt)}`,
      columns,
    ),
    ...row('goal', firstLine(definition.intent.originalIntent)),
    ...row('now', phaseWords({ ...page, laneLines: [], keys: '' })),
    ...row('checks', definition.criteria.map(criterionWords).join(' · ')),
    ...(view.baseline === null ? [] : row('baseline', firstLine(view.baseline.summary))),
    ...view.attempts.flatMap((attempt) => [
      ...row(`attempt ${attempt.n}`, attemptWords(attempt, story)),
      ...(attempt.refused === undefined ? [] : row('', refusedWords(attempt.refused))),
    ]),
    ...(view.branch === null
      ? []
      : row('branch', `${view.branch}${view.head === null ? '' : ` @ ${short(view.head)}`}`)),
    ...row('spent', `${spentMoney(view.spent)} · ${span(view.spent.activeMs)} active`),
    ...warningRows(view, story).flatMap(([label, text]) => row(label, text)),
    '',
    ...steps.map(({ command, effect }, i) =>
      cut(`  ${padTo(i === 0 ? 'next' : '', 10)}${padTo(command, width)}   ${effect}`, columns),
    ),
  ];
}

function attemptWords(attempt: RunView['attempts'][number], story: Story): string {
  const told = story.attempts.get(attempt.n);
  const took = told === undefined ? '' : `   ${span(attempt.endedAt - told.startedAt)}`;
  return `${attempt.outcome}  ${firstLine(attempt.summary)}${took}`;
}

const refusedWords = (refused: Refusals): string => clean(refusalWords(refused));

export interface AttemptPage {
  readonly told: AttemptStory;
  readonly story: Story;
  readonly verdicts: readonly Verdict[];
  /** What each check printed, in the order of the criteria; null where it was pruned. */
  readonly outputs: readonly (string | null)[];
  readonly changed: readonly ChangedFile[] | null;
  readonly columns: number;
}
const outputLinesMax = 20;

export function attemptLines({
  told,
  story,
  verdicts,
  outputs,
  changed,
  columns,
}: AttemptPage): string[] {
  const row = (label: string, text: string): string[] => labelled(label, text, columns);
  const cost = costOf(story, told.n);
  const sign = told.summary === null ? '●' : told.summary.outcome === 'passed' ? '✓' : '✗';
  const took = told.endedAt === null ? '' : span(told.endedAt - told.startedAt);
  const head = `${sign} attempt ${told.n}   ${told.summary === null ? 'not ended' : told.summary.outcome}`;
  const results = verdicts.flatMap(({ criteria }) => criteria);
  return [
    spread(head, cost === null ? took : `${took}  ${money({ ...cost, costKnown: true })}`, columns),
    ...row(
      'executed',
      `${plural(told.executions.length, 'execution')}: ${told.executions.join(', ')}`,
    ),
    ...(told.agentVersion === null ? [] : row('agent', `version ${clean(told.agentVersion)}`)),
    ...(told.commit === null ? [] : row('commit', short(told.commit))),
    ...(changed === null ? [] : row('changed', `${changedWords(changed)} since base`)),
    ...(told.lastLine === null
      ? []
      : row('said', `"${clean(told.lastLine).trim()}"  (the lane's own words)`)),
    ...(told.refused === null ? [] : row('refused', refusedWords(told.refused))),
    ...results.flatMap((result, i) => [
      ...row(result.outcome === 'passed' ? '✓' : '✗', resultWords(result)),
      ...result.reasons.slice(0, 10).flatMap((reason) => row('', firstLine(reason))),
      ...(result.suggestedFix === null
        ? []
        : row('', `suggested: ${firstLine(result.suggestedFix)}`)),
      ...(result.outcome === 'passed' ? [] : outputTail(outputs[i] ?? null, columns)),
    ]),
  ];
}

function outputTail(output: string | null, columns: number): string[] {
  if (output === null) return [];
  const lines = output
    .split('\n')
    .map(clean)
    .filter((line) => line.trim() !== '');
  return lines.slice(-outputLinesMax).map((line) => cut(`            │ ${line}`, columns));
}

/** The compacted history as the next attempt gets it (EV-43). */
export function historyLines(view: RunView): string[] {
  if (view.attempts.length === 0) return ['no attempt has ended: the history is empty'];
  return [
    '# Loop Attempt History',
    ...view.attempts.map(({ n, outcome, summary, refused }) => {
      if (outcome === 'passed') return `[Attempt ${n}] PASS`;
      const denied = refused === undefined ? '' : `; ${refusedWords(refused)}`;
      return `[Attempt ${n}] FAIL: ${firstLine(summary)}${denied}`;
    }),
  ];
}

export function eventLine(
  { version, event, actor }: StoredEvent,
  at: string,
  columns: number,
): string {
  const { type, ...data } = event;
  return cut(
    `${at} ${String(version).padStart(4)} ${type.padEnd(22)} ${clean(actor)}  ${clean(JSON.stringify(data))}`,
    columns,
  );
}
