/**
 * What an operator can do about a parked run, by reason: data, one row each. The first option is
 * what the author of the page would do (UX 5.1). Commands are templates; `<run>` becomes the short
 * id, and only commands that exist are named.
 */
import type { ParkReason } from '../run/state.ts';

export interface EscalationOption {
  readonly text: string;
  readonly command: string;
}

export interface Escalation {
  /** After `stopped   <disposition>:`, a sentence without a full stop. */
  readonly why: string;
  readonly options: readonly [EscalationOption, ...EscalationOption[]];
}

export const option = (text: string, command: string): EscalationOption => ({ text, command });

export const resume = option('go on', 'pawl resume <run>');
const again = option('try again', 'pawl resume <run>');
const verifyAgain = option('verify again, no attempt spent', 'pawl resume <run> --now');
export const otherAgent = option(
  'a stronger or other agent',
  'pawl retry <run> --agent <agent> --from last',
);
export const allowMore = option(
  'allow it more (or, with ask, be asked for each call)',
  'pawl retry <run> --permissions trusted --from last',
);
export const changed = option('change the definition', 'pawl retry <run> --edit');
export const changedPolicy = option(
  'change the definition (permissions, onPermission)',
  'pawl retry <run> --edit',
);
const prepareAgain = option(
  'a new tree from the last snapshot, setup again, new conversation',
  'pawl resume <run> --fresh',
);
export const verifyNow = option(
  'verify the work as it is, no new attempt',
  'pawl resume <run> --verify-now',
);
const takeOver = option(
  'as it is, taken over by a new execution of the same attempt',
  'pawl resume <run>',
);
export const byHand = option(
  'do it yourself',
  'cd "$(pawl path <run>)"   then  pawl resume <run> --verify-now',
);
export const accept = option('take it as it is (overridden)', 'pawl accept <run> --reason "…"');
export const cancel = option('end it, keep the branch', 'pawl cancel <run>');

export const logIn = option('log in (run <maker> once), then go on', 'pawl resume <run>');

export const pushed = option('the same, with a push', 'pawl resume <run> --attempts +2 --hint "…"');
export const leaveOut = option('tell it what to leave out', pushed.command);
export const lookAtErrors = option('look at the errors first', 'pawl logs <run>');
const moreAttempts = [
  option('more attempts from the best tree', 'pawl resume <run> --attempts +3 --from-attempt <n>'),
  pushed,
  otherAgent,
] as const;
const leave = [accept, byHand, cancel] as const;
const stalled = [
  option('go on, with a push', 'pawl resume <run> --hint "…"'),
  option('more steps', 'pawl resume <run> --steps +5'),
  otherAgent,
  ...leave,
] as const;
export const putBack = option(
  'put these files back, verify the rest',
  'pawl resume <run> --restore',
);
export const putBackFirst = option('put these files back, then the agent goes on', putBack.command);
export const theyAreRight = option(
  'these changes are right: verify them too',
  'pawl resume <run> --allow <path>',
);
export const orPutBack = option(
  'these changes are right, or you put them back by hand',
  theyAreRight.command,
);
const paths = [
  putBack,
  theyAreRight,
  option('look at them first', 'pawl diff <run>'),
  ...leave,
] as const;

const sharedBudget = [
  option('when the day is over, or budgets in your config.yaml are raised', 'pawl resume <run>'),
  option('what is set, and where', 'pawl config show --origin'),
  verifyNow,
  ...leave,
] as const;

export const escalations: Readonly<Record<ParkReason, Escalation>> = {
  no_progress: { why: 'no progress over the last steps', options: stalled },
  replan_cap: { why: 'planned again too often', options: stalled },
  score_plateau: { why: 'the score no longer rises', options: stalled },
  steps: {
    why: 'steps spent',
    options: [option('more steps', 'pawl resume <run> --steps +5'), verifyNow, ...leave],
  },
  tokens: {
    why: 'tokens spent',
    options: [option('more tokens', 'pawl resume <run> --tokens +500000'), verifyNow, ...leave],
  },
  cost: {
    why: 'money spent',
    options: [option('more money', 'pawl resume <run> --cost +5'), verifyNow, ...leave],
  },
  wall: {
    why: 'active time spent',
    options: [option('more time', 'pawl resume <run> --time +2h'), verifyNow, ...leave],
  },
  day_budget: { why: "the day's budget over all runs spent", options: sharedBudget },
  project_budget: { why: "the project's budget of the day spent", options: sharedBudget },
  attempts_exhausted: { why: 'attempts spent', options: [...moreAttempts, ...leave] },
  convergence_signals: {
    why: 'errors pile up and do not heal',
    options: [
      lookAtErrors,
      ...moreAttempts,
      // Every way on needs attempts (needs.ts).
      option(prepareAgain.text, 'pawl resume <run> --attempts +2 --fresh'),
      ...leave,
    ],
  },
  dispatch_failed: {
    why: 'the work could not be dispatched',
    options: [
      again,
      option('look at what failed', 'pawl show <run> --events'),
      prepareAgain,
      cancel,
    ],
  },
  recovery_exhausted: {
    why: 'recoveries spent',
    options: [prepareAgain, takeOver, otherAgent, ...leave],
  },
  setup_failed: {
    why: 'setup or checks cannot run on the base commit',
    options: [
      option('change setup or checks', 'pawl retry <run> --setup "…" --from base'),
      again,
      cancel,
    ],
  },
  drift_detected: { why: 'files outside the scope changed', options: paths },
  protected_changed: { why: 'protected files changed', options: paths },
  model_divergence: {
    why: 'another model answered than was asked for',
    options: [resume, otherAgent, ...leave],
  },
  context_floor: {
    why: 'too little context is left for the work',
    options: [prepareAgain, otherAgent, cancel],
  },
  context_overflow: {
    why: 'the conversation outgrew its context twice',
    options: [prepareAgain, otherAgent, ...leave],
  },
  verifier_unavailable: {
    why: 'the verifier cannot be reached',
    options: [verifyAgain, changed, ...leave],
  },
  missing_evidence: {
    why: 'the verifier found no evidence',
    options: [verifyAgain, changed, ...leave],
  },
  indeterminate: {
    why: 'the checks give no clear answer',
    options: [
      option('look at the checks', 'pawl logs <run> --checks'),
      verifyAgain,
      changed,
      ...leave,
    ],
  },
  review_expired: {
    why: 'nobody reviewed it in time',
    options: [
      option('ask again', 'pawl resume <run>'),
      option('look at it', 'pawl diff <run>'),
      ...leave,
    ],
  },
  wait_exhausted: {
    why: 'the waiting time for limits is spent',
    options: [resume, otherAgent, ...leave],
  },
  unknown_outcome: {
    why: 'nobody can tell whether a call happened: check outside',
    options: [
      option('it happened', 'pawl resume <run> --happened'),
      option('it did not happen', 'pawl resume <run> --did-not-happen'),
      cancel,
    ],
  },
  blocked_by_question: {
    why: 'the agent waits for an answer',
    options: [option('answer', 'pawl answer <run> "…"'), accept, cancel],
  },
  permission_denied: {
    why: 'the agent asked twice for what it may not do',
    options: [
      option('go on without it', 'pawl resume <run> --hint "…"'),
      allowMore,
      changedPolicy,
      ...leave,
    ],
  },
  workspace_lost: {
    why: 'the work tree is gone',
    options: [prepareAgain, cancel],
  },
  auth_required: {
    why: 'the agent is not logged in, or a secret cannot be had',
    options: [logIn, otherAgent, cancel],
  },
  disk_full: {
    why: 'no space left on a disk',
    options: [
      option('make room (doctor names what may go), then go on', 'pawl resume <run>'),
      option('remove what is no longer needed', 'pawl prune'),
      cancel,
    ],
  },
  internal_error: {
    why: 'a bug of pawl',
    options: [
      again,
      option('what happened', 'pawl show <run> --events'),
      prepareAgain,
      byHand,
      cancel,
    ],
  },
};
