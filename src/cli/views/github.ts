/**
 * How a run ended, for GitHub Actions (UX 3.4): the block as Markdown for the step's summary, and
 * failed checks as annotations. Pure. Text of lanes and checks is escaped as each form wants it.
 */
import type { RunView } from '../../ports/client.ts';
import type { CriterionResult, Verdict } from '../../ports/words.ts';
import { calledAs } from '../called.ts';
import { dryRunWords, words } from '../format.ts';
import { reasonWords, stepsFor } from '../next.ts';
import { clean, firstLine } from '../text.ts';
import { resultWords } from './final.ts';

export interface Reported {
  readonly view: RunView;
  readonly verdicts: readonly Verdict[];
  /** The page that the command ends with. */
  readonly page: readonly string[];
  readonly called: string;
}

const annotationsMax = 10;

export function summaryMarkdown({ view, verdicts, page, called }: Reported): string {
  const [step] = stepsFor(view, called);
  const results = verdicts.flatMap(({ criteria }) => criteria);
  const rows = [
    `**verdict** ${escaped(verdictWords(view))}`,
    ...results.map((result) => `**check** ${escaped(resultWords(result))}`),
    ...(view.receipt === null
      ? []
      : [`**receipt** ${code(calledAs(`pawl show ${view.short} --receipt`, called))}`]),
    ...(view.branch === null ? [] : [`**branch** ${code(view.branch)}`]),
    ...(step === undefined ? [] : [`**next** ${code(step.command)} ${escaped(step.effect)}`]),
  ];
  const fence = '`'.repeat(Math.max(3, longestRun(page.join('\n')) + 1));
  return [
    `### ${signOf(view)} ${escaped(`${view.name} ${view.short}`)}`,
    '',
    ...rows.map((row) => `- ${row}`),
    '',
    `${fence}text`,
    ...page.map(clean),
    fence,
    '',
  ].join('\n');
}

/** Lines for the runner of the job; it reads them where they are printed. */
export function annotationLines({ view, verdicts }: Omit<Reported, 'page' | 'called'>): string[] {
  const title = `${view.name} ${view.short}`;
  if (view.status === 'complete') {
    const kind = view.verification === 'passed' ? 'notice' : 'warning';
    return [annotation(kind, { title }, verdictWords(view))];
  }
  const failed = verdicts
    .flatMap(({ criteria }) => criteria)
    .filter(({ outcome }) => outcome !== 'passed')
    .slice(0, annotationsMax);
  if (failed.length === 0) return [annotation('error', { title }, verdictWords(view))];
  return failed.map((result) => annotation('error', placeOf(result, title), saidOf(result)));
}

/** Between these two lines nothing that is printed is taken for a command of the runner. */
export function untrusted(token: string): { readonly begin: string; readonly end: string } {
  return { begin: `::stop-commands::${token}`, end: `::${token}::` };
}

function verdictWords(view: RunView): string {
  if (view.status === 'complete') {
    return view.verification === 'passed'
      ? `verified on attempt ${view.attempt.n}`
      : 'overridden by the operator, not verified';
  }
  if (view.status === 'needs_operator') return `needs operator: ${reasonWords(view)}`;
  if (view.status === 'waiting_human') return 'waiting for you';
  if (view.cancelCause === 'dry_run') return dryRunWords;
  return view.cancelCause === 'refused' ? 'refused before anything was spent' : words(view.status);
}

function signOf({ status, verification }: RunView): string {
  if (status === 'complete') return verification === 'passed' ? '✓' : '≈';
  return status === 'needs_operator' ? '!' : status === 'waiting_human' ? '?' : '–';
}

const place = /(?:^|[\s(])((?:[\w@.-]+\/)*[\w@-][\w@.-]*\.[A-Za-z]\w{0,4}):(\d{1,7})(?!\d)/;

/** Where a reason names a file and a line, GitHub shows it there. */
function placeOf({ reasons }: CriterionResult, title: string): Readonly<Record<string, string>> {
  for (const reason of reasons) {
    const [, file, line] = place.exec(clean(reason)) ?? [];
    if (file !== undefined && line !== undefined) return { file, line, title };
  }
  return { title };
}

function saidOf(result: CriterionResult): string {
  const reasons = result.reasons.map(firstLine).filter((reason) => reason !== '');
  return [resultWords(result), ...reasons].join('\n');
}

function annotation(
  kind: 'error' | 'warning' | 'notice',
  properties: Readonly<Record<string, string>>,
  message: string,
): string {
  const named = Object.entries(properties).map(
    ([name, value]) => `${name}=${encoded(value).replaceAll(':', '%3A').replaceAll(',', '%2C')}`,
  );
  return `::${kind} ${named.join(',')}::${encoded(message)}`;
}
function encoded(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escaped(text: string): string {
  return clean(text).replace(/[\\`*_{}[\]<>()#|~@]/g, '\\$&');
}
function code(text: string): string {
  const ticks = '`'.repeat(longestRun(text) + 1);
  return `${ticks}${clean(text)}${ticks}`;
}
function longestRun(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
}
