/**
 * What a resume needs, by reason (DESIGN §13), as a table; the flags are those of the command line.
 */
import type { ResumeOptions } from './message.ts';
import { type OpenPaths, uncovered } from './paths.ts';
import type { LivingRun, ParkReason, RunTerms } from './state.ts';

type Parked = Extract<LivingRun, { status: 'needs_operator' }>;
type Need =
  | 'steps'
  | 'tokens'
  | 'cost'
  | 'time'
  | 'attempts'
  | 'steps_or_hint'
  | 'paths'
  | 'allowance'
  | 'outcome'
  | 'answer'
  | 'fresh'
  | 'nothing';

const needs: Readonly<Record<ParkReason, Need>> = {
  no_progress: 'steps_or_hint',
  replan_cap: 'steps_or_hint',
  score_plateau: 'steps_or_hint',
  steps: 'steps',
  tokens: 'tokens',
  cost: 'cost',
  wall: 'time',
  day_budget: 'nothing',
  project_budget: 'nothing',
  attempts_exhausted: 'attempts',
  convergence_signals: 'attempts',
  dispatch_failed: 'nothing',
  recovery_exhausted: 'nothing',
  setup_failed: 'nothing',
  drift_detected: 'paths',
  protected_changed: 'paths',
  model_divergence: 'nothing',
  context_floor: 'nothing',
  context_overflow: 'fresh',
  verifier_unavailable: 'nothing',
  missing_evidence: 'nothing',
  indeterminate: 'nothing',
  review_expired: 'nothing',
  wait_exhausted: 'nothing',
  unknown_outcome: 'outcome',
  blocked_by_question: 'answer',
  permission_denied: 'nothing',
  workspace_lost: 'nothing',
  auth_required: 'nothing',
  disk_full: 'nothing',
  internal_error: 'nothing',
};

const flags: Readonly<Record<Need, readonly string[]>> = {
  steps: ['--steps +n'],
  tokens: ['--tokens +n'],
  cost: ['--cost +n'],
  time: ['--time +d'],
  attempts: ['--attempts +n'],
  steps_or_hint: ['--steps +n | --hint'],
  paths: ['--restore | --allow <path>…'],
  allowance: ['--allow <path>…'],
  outcome: ['--happened | --did-not-happen'],
  answer: ['answer'],
  fresh: ['--fresh'],
  nothing: [],
};

/** Flags as somebody would type them; where there is a choice, what changes least. */
const filled: Readonly<Record<Need, string>> = {
  steps: '--steps +5',
  tokens: '--tokens +500000',
  cost: '--cost +5',
  time: '--time +2h',
  attempts: '--attempts +3',
  steps_or_hint: '--hint "…"',
  paths: '--restore',
  allowance: "--allow '**'",
  outcome: '',
  answer: '',
  fresh: '--fresh',
  nothing: '',
};

type Place = Pick<RunTerms, 'git'>;

/** In the user's own folder nothing is put back: there is no undo (UX 2.4, `--isolation none`). */
function needIn(reason: ParkReason, place: Place = { git: true }): Need {
  const need = needs[reason];
  return need === 'paths' && !place.git ? 'allowance' : need;
}

/** What lifts this park, without `pawl` and the id: `resume --attempts +3`. */
export function liftOf(reason: ParkReason, place?: Place): string {
  const need = needIn(reason, place);
  if (need === 'answer') return 'answer "…"';
  // What happened outside nobody can guess: the page names the call, to be looked for first.
  return need === 'outcome' ? 'show' : `resume ${filled[need]}`.trimEnd();
}

export function needsOf(reason: ParkReason, place?: Place): readonly string[] {
  return flags[needIn(reason, place)];
}

/**
 * Whether the options carry what this park needs; a `--verify-now` needs nothing but an answered
 * question.
 */
export function isMet(run: Parked, options: ResumeOptions): boolean {
  const { grants } = options;
  const need = needIn(run.reason, run.terms);
  if (options.verifyNow !== undefined && need !== 'answer') return true;
  switch (need) {
    case 'steps':
      return isGrant(grants.steps);
    case 'tokens':
      return isGrant(grants.tokens);
    case 'cost':
      return isGrant(grants.costUsd);
    case 'time':
      return isGrant(grants.timeMs);
    case 'attempts':
      return isGrant(grants.attempts);
    case 'steps_or_hint':
      return isGrant(grants.steps) || options.hint !== undefined;
    case 'paths':
      return options.restore === true || openPaths(run, options.allow) === null;
    case 'allowance':
      return openPaths(run, options.allow) === null;
    case 'outcome':
      return options.happened !== undefined;
    case 'answer':
      return false;
    case 'fresh':
      return options.fresh === true;
    default:
      return true;
  }
}

/** An addition that adds: finite and above nothing. */
export function isGrant(figure: number | undefined): figure is number {
  return figure !== undefined && Number.isFinite(figure) && figure > 0;
}

/**
 * All that was found. Paths beyond the list cannot be named, so only a whole folder takes them in.
 * Null: nothing is open, or this park is over something else.
 */
export function openPaths(run: Parked, given: readonly string[] = []): OpenPaths | null {
  if (needs[run.reason] !== 'paths') return null;
  const paths = uncovered(run.paths, [...given, ...run.allowedPaths]);
  const more = given.some((pattern) => pattern.endsWith('**')) ? 0 : run.more;
  const isOpen = given.length === 0 || paths.length > 0 || more > 0;
  return isOpen ? { paths, more, given } : null;
}
