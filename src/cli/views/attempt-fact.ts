/** Baseline and attempts as facts: what the checks said, what it took, what the agent claimed. */
import { refusalWords } from '../../kernel/refusals.ts';
import type { StoredEvent } from '../../ports/store.ts';
import { costOf } from '../../ports/story.ts';
import type { ChangedFile } from '../../ports/workspace.ts';
import { money, plural, span } from '../format.ts';
import { clean, firstLine } from '../text.ts';
import type { Fact, FactDetail, FactLine, ResultFacts, Scene } from './fact-shape.ts';

type EventOf<T extends StoredEvent['event']['type']> = Extract<StoredEvent['event'], { type: T }>;
type Ended = EventOf<'attempt.ended'>['attempt'];
type Fields = Fact['fields'];

export function baselineFact(event: EventOf<'baseline.recorded'>, scene: Scene): Fact {
  const { startedAt, endedAt } = scene.story.prepare;
  const ms = startedAt === null || endedAt === null ? null : endedAt - startedAt;
  const says = {
    red: 'fails',
    green: 'passes already',
    unrunnable: 'cannot run',
    skipped: 'not run (--baseline skip)',
  }[event.outcome];
  const text = event.summary === '' ? says : firstLine(event.summary);
  const told = telling(scene.detail);
  return {
    kind: 'baseline',
    fields: [
      ...checkFields(told),
      ['outcome', { red: 'failed', green: 'passed' }[String(event.outcome)] ?? event.outcome],
      ...countFields(told),
      ['summary', told === null ? event.summary : null],
      ['ms', ms],
    ],
    line: baselineLine(event, scene, { text, ms }),
  };
}

/** The time is that of both, so setup and baseline share a line. */
function baselineLine(
  { outcome }: EventOf<'baseline.recorded'>,
  { definition }: Scene,
  { text, ms }: { readonly text: string; readonly ms: number | null },
): FactLine {
  const setup = definition.workspace.setup?.command ?? null;
  const isShared = setup !== null && outcome !== 'unrunnable' && outcome !== 'skipped';
  return {
    sign: outcome === 'unrunnable' ? '✗' : '✓',
    label: isShared ? 'setup' : 'baseline',
    text: isShared ? firstLine(setup) : text,
    right: ms === null ? [] : [span(ms)],
    below: isShared ? [`baseline: ${text}`] : [],
  };
}

export function attemptFact({ attempt }: EventOf<'attempt.ended'>, scene: Scene): Fact {
  const { story } = scene;
  const told = story.attempts.get(attempt.n);
  const cost = costOf(story, attempt.n);
  const ms = told === undefined ? null : attempt.endedAt - told.startedAt;
  const files = filesWords(scene.detail ?? null, told?.filesChanged ?? null);
  const right = [
    ...(ms === null ? [] : [span(ms)]),
    ...(cost === null ? [] : [money({ ...cost, costKnown: true })]),
    ...(files === null ? [] : [files]),
  ];
  const line: FactLine = {
    sign: attempt.outcome === 'passed' ? '✓' : attempt.outcome === 'overridden' ? '≈' : '✗',
    label: `attempt ${attempt.n}`,
    text: verdictText(attempt.outcome, attempt.summary, isDemo(scene) ? ': ' : '  '),
    right,
    below: [...refusedLines(attempt), ...belowFailed(attempt, scene)],
  };
  return { kind: 'attempt', fields: attemptFields(attempt, scene), line };
}

function attemptFields(attempt: EventOf<'attempt.ended'>['attempt'], scene: Scene): Fields {
  const cost = costOf(scene.story, attempt.n);
  const told = telling(scene.detail);
  return [
    ['n', attempt.n],
    ['verdict', attempt.outcome],
    ...checkFields(told),
    ...(told === null
      ? ([
          ['summary', attempt.summary],
          ['failed', attempt.failedTests],
        ] as const)
      : [['exit', told.exit] as const, ...countFields(told)]),
    ['cost', cost === null ? '–' : money({ ...cost, costKnown: true }).replace('$', '')],
  ];
}

/** The check that decided: the first that did not pass, else the last. */
function telling(detail: FactDetail | null | undefined): ResultFacts | null {
  const results = detail?.results ?? [];
  return results.find(({ outcome }) => outcome !== 'passed') ?? results.at(-1) ?? null;
}
function checkFields(told: ResultFacts | null): Fields {
  return told === null ? [] : [['check', told.what]];
}
function countFields(told: ResultFacts | null): Fields {
  return told?.counts == null
    ? []
    : [
        ['failed', told.counts.failed],
        ['passed', told.counts.passed],
      ];
}

function filesWords(detail: FactDetail | null, count: number | null): string | null {
  const changed = detail?.changed ?? null;
  if (changed === null) return count === null ? null : plural(count, 'file');
  const sum = (pick: (file: ChangedFile) => number | null): number =>
    changed.reduce((total, file) => total + (pick(file) ?? 0), 0);
  return `${plural(changed.length, 'file')} +${sum(({ added }) => added)} −${sum(({ removed }) => removed)}`;
}

function verdictText(outcome: string, summary: string, between: string): string {
  const text = firstLine(summary);
  if (text === '') return outcome;
  return text.toLowerCase().startsWith(outcome) ? text : `${outcome}${between}${text}`;
}

const goesOn = ({ view }: Scene): boolean => view.status === 'active';
const isDemo = ({ definition }: Scene): boolean => definition.project.kind === 'demo';

const refusedLines = ({ refused }: Ended): readonly string[] =>
  refused === undefined ? [] : [clean(refusalWords(refused))];

function belowFailed({ n, outcome }: Ended, scene: Scene): readonly string[] {
  if (outcome !== 'failed') return [];
  const lastLine = scene.story.attempts.get(n)?.lastLine ?? null;
  return [...reasonLines(scene), ...claimLines(lastLine, goesOn(scene))];
}

/** The first reason that says more than the line above it. */
function reasonLines(scene: Scene): readonly string[] {
  const told = telling(scene.detail);
  if (told === null || isDemo(scene)) return [];
  const reason = told.reasons
    .slice(1)
    .map(firstLine)
    .find((text) => text !== '');
  return reason === undefined ? [] : [reason];
}

/** What the agent claims is told as its claim, never as a fact. */
function claimLines(lastLine: string | null, goesOn: boolean): readonly string[] {
  if (lastLine === null || lastLine.trim() === '') return [];
  const said = clean(lastLine).trim();
  const claims = /\b(done|pass(?:es|ed|ing)?|fixed|complete[d]?|success(?:ful|fully)?)\b/i.test(
    said,
  );
  return [
    `the agent said: "${said}"${claims ? `     ← it was not${goesOn ? '; so it goes on' : ''}` : ''}`,
  ];
}
