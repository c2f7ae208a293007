/**
 * Which verb fits which state (UX 2.2), with the id filled in: what every page ends with, and what
 * a wrong verb is answered with. Every command printed here exists; a test collects them.
 */
import { RequestError } from '../kernel/errors.ts';
import type { RunView } from '../ports/client.ts';
import { calledAs } from './called.ts';
import { dryRunWords, words } from './format.ts';
import { isDamaged } from './ready-to-land.ts';

export interface Step {
  readonly command: string;
  readonly effect: string;
}

/**
 * Best first. For a parked run the options come with the run: the domain's table, one row per
 * reason.
 */
export function stepsFor(view: RunView, called: string): readonly Step[] {
  const line = (verb: string, more = ''): string => `${called} ${verb} ${view.short}${more}`;
  switch (view.status) {
    case 'active':
      return activeSteps(view, line);
    case 'waiting_human':
      if (view.gate?.kind === 'permission') return callSteps(line);
      return [
        { command: line('diff'), effect: 'look at the work' },
        { command: line('approve'), effect: 'it is good' },
        {
          command: line('reject', ' --note "…"'),
          effect: 'not yet: your reasons start the next attempt',
        },
        { command: line('cancel'), effect: 'end it; the work is kept' },
      ];
    case 'paused':
      return [
        { command: line('resume'), effect: 'go on; nothing is counted' },
        { command: line('cancel'), effect: 'end it; the work is kept' },
      ];
    case 'needs_operator':
      return view.options.length > 0 ? optionsOf(view, called) : parkedSteps(line);
    case 'complete':
      return completeSteps(view, line);
    case 'cancelling':
      return [{ command: line('watch'), effect: 'see it end' }];
    case 'cancelled':
      return view.branch === null || isUnbegun(view)
        ? [{ command: line('show'), effect: 'what happened' }]
        : [
            { command: line('diff'), effect: 'the work is kept' },
            { command: line('retry'), effect: 'a new run' },
          ];
  }
}

/** No attempt was begun: there is no branch yet, and no work. */
export const isUnbegun = ({ head, attempts }: RunView): boolean =>
  head === null && attempts.length === 0;

function optionsOf({ options }: RunView, called: string): readonly Step[] {
  return options.map(({ command, effect }) => ({ command: calledAs(command, called), effect }));
}

type Line = (verb: string, more?: string) => string;

function callSteps(line: Line): readonly Step[] {
  return [
    { command: line('approve'), effect: 'allow this call' },
    { command: line('reject', ' --note "…"'), effect: 'refuse it; the agent goes on without' },
    { command: line('logs'), effect: 'what led to it' },
    { command: line('cancel'), effect: 'end it; the work is kept' },
  ];
}

function activeSteps(view: RunView, line: Line): readonly Step[] {
  const wait =
    view.phase === 'waiting'
      ? [{ command: line('resume', ' --now'), effect: 'skip the wait' }]
      : [];
  const pause =
    view.pausing === true
      ? { command: line('pause', ' --now'), effect: 'stop at once, not after the turn' }
      : { command: line('pause'), effect: 'stop after the turn' };
  return [
    ...wait,
    { command: line('watch'), effect: 'the live view' },
    { command: line('hint', ' "…"'), effect: 'add context for the next turn' },
    pause,
    { command: line('cancel'), effect: 'end it; the work is kept' },
  ];
}

function parkedSteps(line: Line): readonly Step[] {
  return [
    { command: line('resume'), effect: 'go on' },
    { command: line('accept', ' --reason "…"'), effect: 'take it as it is (overridden)' },
    { command: line('cancel'), effect: 'end it, keep the branch' },
  ];
}

function completeSteps(view: RunView, line: Line): readonly Step[] {
  if (view.landed !== null) return [{ command: line('show'), effect: 'the receipt' }];
  const look = { command: line('diff'), effect: 'what changed' };
  if (view.branch === null || view.head === null) {
    return [
      { command: line('show'), effect: view.receipt === null ? 'what happened' : 'the receipt' },
    ];
  }
  if (isDamaged(view)) {
    return [look, { command: line('retry', ' --from last'), effect: 'verify the work anew' }];
  }
  const effect = `bring it to ${view.baseBranch ?? 'a branch: --into <branch>'}`;
  return [look, { command: line('land', asItIs(view)), effect }];
}

/** Checks that a human has overridden would refuse the landing as well. */
export const asItIs = ({ verification }: RunView): string =>
  verification === 'overridden' ? ' --no-reverify' : '';

/** What a run waits for, in a few words: `parked (attempts spent)`. */
export function standing(view: RunView): string {
  switch (view.status) {
    case 'needs_operator':
      return `parked (${reasonWords(view)})`;
    case 'waiting_human':
      return waitingFor[view.gate?.kind ?? 'manual'];
    case 'active':
      return view.phase === 'waiting'
        ? `waiting (${words(view.waiting?.reason ?? 'backoff')})`
        : 'active';
    case 'complete':
      return view.verification === 'overridden'
        ? 'complete (overridden, not verified)'
        : 'complete';
    case 'cancelled':
      return view.cancelCause === 'dry_run' ? dryRunWords : view.status;
    default:
      return view.status;
  }
}

const waitingFor = {
  manual: 'waiting for approval',
  protected: 'waiting for approval of a protected change',
  permission: 'waiting for approval of a call',
} as const;

const spent: Readonly<Record<string, string>> = {
  attempts_exhausted: 'attempts spent',
  convergence_signals: 'errors keep coming',
  cost: 'cost spent',
  tokens: 'tokens spent',
  wall: 'time spent',
  steps: 'steps spent',
  day_budget: "the day's budget spent",
  project_budget: "the project's budget spent",
};
export function reasonWords(view: RunView): string {
  const reason = view.reason ?? 'unknown';
  return spent[reason] ?? words(reason);
}

/** What is said besides {@link reasonWords}: the record of a dispatch begins with those (EV-48). */
export const detailBeyond = ({ reason, detail }: Pick<RunView, 'reason' | 'detail'>): string =>
  (detail ?? '').replace(reason === 'dispatch_failed' ? /^Dispatch failed: / : '', '');

/** The verb that was typed does not fit the state (UX 2.2): the right one is filled in. */
export function wrongVerb(view: RunView, expected: string, called: string): RequestError {
  // What does without the checks is chosen by who means it, and meant by nobody who typed another.
  const best = stepsFor(view, called).find(
    ({ command }) => !/ (diff|show|--no-reverify)\b/.test(command),
  );
  const line = best?.command ?? `${called} show ${view.short}`;
  return new RequestError(
    'wrong_verb',
    `${view.short} is ${standing(view)}, not ${expected}. Did you mean: ${line}`,
    { next: line, facts: { run: view.id, status: view.status, reason: view.reason } },
  );
}
