/**
 * Which options of `resume` fit which run (UX 2.4). An option that would change nothing is refused,
 * never taken in silence: who grants money to a run that has no brake on money is mistaken.
 */
import { RequestError } from '../kernel/errors.ts';
import type { ResumeRequest, RunView } from '../ports/client.ts';
import { standing } from './next.ts';

export interface Resuming {
  readonly view: RunView;
  readonly request: ResumeRequest;
  readonly verifyNow: boolean;
  readonly called: string;
}

/** @throws RequestError `usage`, `bad_value`, `wrong_verb`; the next command is filled in. */
export function checkOptions(resuming: Resuming): void {
  const refusal =
    whileWaiting(resuming) ??
    severalStarts(resuming) ??
    unfitting(resuming) ??
    unbraked(resuming) ??
    unknownAttempt(resuming);
  if (refusal !== null) throw refusal;
}

/** The options that were given, as they are typed. */
function given({ request, verifyNow }: Resuming): readonly string[] {
  const { grants, restore, allow, happened, fresh, now, fromAttempt, hint, on } = request;
  const named: readonly (readonly [string, boolean])[] = [
    ['--attempts', grants.attempts !== undefined],
    ['--cost', grants.costUsd !== undefined],
    ['--tokens', grants.tokens !== undefined],
    ['--steps', grants.steps !== undefined],
    ['--time', grants.timeMs !== undefined],
    ['--hint', hint !== null],
    ['--verify-now', verifyNow],
    ['--from-attempt', fromAttempt !== null],
    ['--fresh', fresh],
    ['--restore', restore],
    ['--allow', allow.length > 0],
    ['--happened', happened === true],
    ['--did-not-happen', happened === false],
    ['--on', on !== undefined],
    ['--now', now],
  ];
  return named.flatMap(([name, isGiven]) => (isGiven ? [name] : []));
}

/** A wait is skipped, and nothing else: nothing was lifted that a grant could widen. */
function whileWaiting(resuming: Resuming): RequestError | null {
  const { view, called } = resuming;
  if (view.status !== 'active') return null;
  const others = given(resuming).filter((name) => name !== '--now');
  if (others.length === 0) return null;
  const next = `${called} resume ${view.short} --now`;
  return new RequestError('usage', `${view.short} is ${standing(view)}: only --now fits`, {
    found: others.join(', '),
    next: others.includes('--hint') ? `${next}   ·   ${called} hint ${view.short} "…"` : next,
  });
}

/** Each of these says where the run goes on from. */
function severalStarts(resuming: Resuming): RequestError | null {
  const starts = ['--verify-now', '--from-attempt', '--fresh', '--restore'];
  const both = given(resuming).filter((name) => starts.includes(name));
  if (both.length < 2) return null;
  const { view, called } = resuming;
  const [first = ''] = both;
  return new RequestError('usage', `${both.join(' and ')} each say where the run goes on from`, {
    allowed: 'one of --verify-now, --from-attempt, --fresh, --restore',
    next: `${called} resume ${view.short} ${first}${first === '--from-attempt' ? ' <n>' : ''}`,
  });
}

function unfitting(resuming: Resuming): RequestError | null {
  const { view } = resuming;
  const names = given(resuming);
  const hasPaths = view.reason === 'drift_detected' || view.reason === 'protected_changed';
  const paths = names.find((name) => name === '--restore' || name === '--allow');
  if (paths !== undefined && !hasPaths) {
    return unfit(resuming, paths, 'no path outside its scope and no protected one waits for you');
  }
  if (paths === '--restore' && view.branch === null) {
    return unfit(resuming, paths, `it works in ${view.project} itself, where nothing is put back`);
  }
  if (names.includes('--on') && view.branch === null && view.dryRun !== true) {
    return unfit(resuming, '--on', `it works in ${view.project} itself, on this machine alone`);
  }
  const isUnknown = view.reason === 'unknown_outcome' || view.unproven.length > 0;
  const outcome = names.find((name) => name.endsWith('happen') || name.endsWith('happened'));
  if (outcome !== undefined && !isUnknown) {
    return unfit(resuming, outcome, 'nothing of it has an unknown outcome');
  }
  return null;
}

function unfit({ view, called }: Resuming, name: string, why: string): RequestError {
  const next = fittingResume(view, called) ?? `${called} show ${view.short}`;
  return new RequestError('usage', `${name} does not fit: ${view.short} is ${standing(view)}`, {
    so: why,
    next,
  });
}

/** With the grant that the reason of its stop needs; null where no resume is the way. */
function fittingResume({ options, short }: RunView, called: string): string | null {
  const first = options.find(({ command }) => command.startsWith(`pawl resume ${short}`));
  return first === undefined ? null : first.command.replace(/^pawl/, called);
}

const brakes = [
  ['--attempts', 'attempts'],
  ['--cost', 'costUsd'],
  ['--tokens', 'tokens'],
  ['--steps', 'steps'],
  ['--time', 'timeMs'],
] as const;

function unbraked({ view, request, called }: Resuming): RequestError | null {
  const free = brakes.find(
    ([, key]) => request.grants[key] !== undefined && view.granted[key] === null,
  );
  if (free === undefined) return null;
  const [name] = free;
  return new RequestError('usage', `${name} grants nothing: ${view.short} has no such brake`, {
    allowed: brakes.flatMap(([flag, key]) => (view.granted[key] === null ? [] : [flag])).join(', '),
    next: fittingResume(view, called) ?? `${called} resume ${view.short}`,
  });
}

function unknownAttempt({ view, request, called }: Resuming): RequestError | null {
  const { fromAttempt } = request;
  if (fromAttempt === null) return null;
  const known = view.attempts.filter(({ commit }) => commit !== null).map(({ n }) => n);
  if (known.includes(fromAttempt)) return null;
  const has = known.length === 0 ? 'no attempt with recorded work' : `attempts ${known.join(', ')}`;
  return new RequestError('bad_value', `attempt ${fromAttempt} has no recorded work`, {
    where: '--from-attempt',
    found: has,
    next:
      known.length === 0
        ? `${called} resume ${view.short}`
        : `${called} resume ${view.short} --from-attempt ${view.best ?? known.at(-1) ?? 1}`,
  });
}
