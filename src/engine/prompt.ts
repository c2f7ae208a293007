/**
 * The whole instruction of a turn. Pure. Every part is bounded, so that no run grows its own prompt
 * without end; what came from a lane or a check is quoted as such.
 */
import type { Criterion, Definition } from '../domain/definition/definition.ts';
import type { LivingRun } from '../domain/run/state.ts';
import type { CriterionResult, Verdict } from '../domain/verdict/verdict.ts';
import { makerOf } from '../kernel/profiles.ts';
import { refusalWords } from '../kernel/refusals.ts';
import type { Recent } from './recent.ts';

/** Goals of 200 kB are allowed; these are bounds, not aims. */
const goalMax = 262_144;
export const partMax = 16_384;
const lineMax = 500;
const reasonsMax = 12;

export interface TurnFacts {
  readonly definition: Definition;
  readonly run: LivingRun;
  readonly attempt: number;
  readonly recent: Recent;
  readonly hints: readonly string[];
  /** The one line about convergence signals; '' when there are none. */
  readonly warning: string;
}

/** For the role that makes: what is wanted, how it will be judged, what happened so far. */
export function executePrompt(facts: TurnFacts): string {
  const { definition, run, attempt } = facts;
  const max = run.granted.attempts;
  const ordinal = max === null ? `${attempt}` : `${attempt} of ${max}`;
  return joined([
    section('Goal', goalOf(definition)),
    section('Your part', partOf(definition)),
    section('How it is judged', judgingOf(definition)),
    section('What only a person can decide', askingWords),
    section('Read first', bullets([...definition.context, ...historyOf(attempt)])),
    section('Attempt', `This is attempt ${ordinal}.`),
    section('Baseline', attempt === 1 ? (run.baseline?.summary ?? '') : ''),
    section('What the last attempt was told', lastVerdict(facts)),
    section('From the operator', operatorWords(facts)),
    facts.warning,
  ]);
}

export function goalOf({ intent }: Definition): string {
  const inferred = intent.inferredGoal === null ? [] : [`Understood as: ${intent.inferredGoal}`];
  const goal = [intent.originalIntent, ...inferred, ...intent.addedContext].join('\n\n');
  return clip(goal, goalMax);
}

/** What its profile is told, then what the project tells it, then what is to be left to see. */
function partOf({ roles: { execute }, artifacts = [] }: Definition): string {
  const told = makerOf(execute.profile)?.told ?? [];
  const asked = `Put what is made to be looked at where these name it; pawl leaves it there:
${bullets(artifacts)}`;
  return joined([
    told.join('\n'),
    clip(execute.prompt ?? '', partMax),
    ...(artifacts.length === 0 ? [] : [asked]),
  ]);
}

function judgingOf(definition: Definition): string {
  const plan = definition.intent.verificationPlan;
  const rules = `When your turn ends, others check the recorded state of the work tree in a clean copy.
Saying that it is done has no effect.`;
  return joined([rules, clip(plan, partMax), bullets(definition.criteria.map(nameOf))]);
}

/** Prose is never read for a question; each of these ways is one that the host understands. */
const askingWords = `Decide yourself what can be decided. If you cannot go on without an answer, ask with
your own tool for questions; where you have none, write {"outcome":"question","text":"…"} to the file
that $PAWL_RESULT_FILE names, and end your turn. The answer comes with your next turn.`;

/** The file lies in the scratch of the turn, whose path is not known before there is one. */
const historyOf = (attempt: number): readonly string[] =>
  attempt === 1 ? [] : ['the attempts before this one: the file that $PAWL_HISTORY_FILE names'];

export function nameOf(criterion: Criterion): string {
  if ('command' in criterion) return `${criterion.kind}: ${criterion.command}`;
  if ('path' in criterion) return `the file exists: ${criterion.path}`;
  if ('question' in criterion) return `a judge is asked: ${criterion.question}`;
  return `a person looks: ${criterion.look}`;
}

function lastVerdict({ recent, run, attempt }: TurnFacts): string {
  if (attempt === 1) return '';
  const last = run.attempts.at(-1);
  const summary = last?.summary ?? '';
  const refused = last?.refused === undefined ? '' : `It had ${refusalWords(last.refused)}.`;
  return clip(joined([summary, refused, verdictWords(recent.verdict)]), partMax);
}

/** What did not pass, and what would mend it. */
export function verdictWords(verdict: Verdict | null): string {
  const failing = (verdict?.criteria ?? []).filter(({ outcome }) => outcome !== 'passed');
  return joined([...failing.map(saidOf), ...fixesOf(verdict)]);
}

const saidOf = (result: CriterionResult): string =>
  joined([`${result.what}: ${result.outcome}`, bullets(result.reasons.slice(0, reasonsMax))]);

const fixesOf = (verdict: Verdict | null): readonly string[] =>
  (verdict?.criteria ?? []).flatMap(({ suggestedFix }) =>
    suggestedFix === null ? [] : [`Suggested fix: ${clip(suggestedFix, lineMax)}`],
  );

function operatorWords({ recent, hints }: TurnFacts): string {
  const { exchange } = recent;
  if (exchange === null) return bullets(hints);
  const question =
    exchange.question === null ? '' : `You asked: ${clip(exchange.question, partMax)}`;
  return joined([question, `The answer: ${clip(exchange.answer, partMax)}`, bullets(hints)]);
}

export const section = (title: string, body: string): string =>
  body.trim() === '' ? '' : `# ${title}\n\n${body}`;

export const bullets = (lines: readonly string[]): string =>
  lines.map((line) => `- ${clip(line, partMax)}`).join('\n');

export const joined = (parts: readonly string[]): string =>
  parts.filter((part) => part.trim() !== '').join('\n\n');

/** Never cuts between the halves of a surrogate pair. */
export function clip(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text;
  const last = text.charCodeAt(lengthMax - 1);
  const end = last >= 0xd800 && last <= 0xdbff ? lengthMax - 1 : lengthMax;
  return `${text.slice(0, end)} […]`;
}
