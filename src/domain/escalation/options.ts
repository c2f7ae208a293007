/**
 * What an operator can do about a parked run, by reason: data. The first option is what the author
 * of the page would do (UX 5.1). Commands are templates; `<run>` becomes the short id, and only
 * commands that exist are named.
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

const option = (text: string, command: string): EscalationOption => ({ text, command });

const resume = option('go on', 'pawl resume <run>');
const again = option('try again', 'pawl resume <run>');
const verifyAgain = option('verify again, no attempt spent', 'pawl resume <run> --now');
const otherAgent = option(
  'a stronger or other agent',
  'pawl retry <run> --agent <agent> --from last',
);
const allowMore = option(
  'allow it more (or, with ask, be asked for each call)',
  'pawl retry <run> --permissions trusted --from last',
);
const changed = option('change the definition', 'pawl retry <run> --edit');
const changedPolicy = option(
  'change the definition (permissions, onPermission)',
  'pawl retry <run> --edit',
);
const prepareAgain = option(
  'a new tree from the last snapshot, setup again, new conversation',
  'pawl resume <run> --fresh',
);
const verifyNow = option(
  'verify the work as it is, no new attempt',
  'pawl resume <run> --verify-now',
);
const takeOver = option(
  'as it is, taken over by a new execution of the same attempt',
  'pawl resume <run>',
);
const byHand = option(
  'do it yourself',
  'cd "$(pawl path <run>)"   then  pawl resume <run> --verify-now',
);
const accept = option('take it as it is (overridden)', 'pawl accept <run> --reason "…"');
const cancel = option('end it, keep the branch', 'pawl cancel <run>');

const logIn = option('log in (run <maker> once), then go on', 'pawl resume <run>');

const moreAttempts = [
  option('more attempts from the best tree', 'pawl resume <run> --attempts +3 --from-attempt <n>'),
  option('the same, with a push', 'pawl resume <run> --attempts +2 --hint "…"'),
  otherAgent,
] as const;
const leave = [accept, byHand, cancel] as const;
const stalled = [
  option('go on, with a push', 'pawl resume <run> --hint "…"'),
  option('more steps', 'pawl resume <run> --steps +5'),
  otherAgent,
  ...leave,
] as const;
const theyAreRight = option('these changes are right', 'pawl resume <run> --allow <path>');
const orPutBack = option(
  'these changes are right, or you put them back by hand',
  theyAreRight.command,
);
const paths = [
  option('put these files back and go on', 'pawl resume <run> --restore'),
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
      option('look at the errors first', 'pawl logs <run>'),
      ...moreAttempts,
      prepareAgain,
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

/** What the options of one parked run are filled with. */
export interface EscalationFacts {
  /** Attempt with the best result; null: none stands out. */
  readonly best: number | null;
  /** Paths that must be restored or allowed. */
  readonly paths: readonly string[];
  /** The agent that works, as the user knows it. */
  readonly maker: string;
  /** Work was recorded and nobody has judged it yet. */
  readonly isUnjudged: boolean;
  /** It works in the user's own folder, where nothing is recorded and nothing put back. */
  readonly isInPlace?: boolean;
  /** Calls of the newest attempt were refused. */
  readonly isRefused?: boolean;
  /** It has all permissions that there are. */
  readonly isTrusted?: boolean;
  /** `auth_required`: what is missing when it is no login. */
  readonly missing?: Missing | null;
  /** A worker that the run could be sent to; null: none is known. */
  readonly worker?: string | null;
  /** It waited for a worker that may take its job, and none came. */
  readonly isUnplaced?: boolean;
}
const nothingKnown: EscalationFacts = { best: null, paths: [], maker: 'it', isUnjudged: false };

/** More than these, and the folder is named. */
const pathsNamedMax = 5;

/** The options filled in, in order: what is printed can be typed. */
export function optionsFor(
  reason: ParkReason,
  run: string,
  facts: EscalationFacts = nothingKnown,
): readonly EscalationOption[] {
  const own = withoutTree(withoutLogin(escalations[reason].options, facts), facts);
  const options = withWorkers(reason, withLeave(withRights(own), facts), facts);
  // What was paid for is judged before more is paid (ruling 3).
  const first = facts.isUnjudged && options.includes(verifyNow) ? [verifyNow] : [];
  const ordered = [...first, ...options.filter((one) => !first.includes(one))];
  return ordered.map(({ text, command }) => ({
    text: said(text, facts),
    command: filled(command, facts).replaceAll('<run>', run),
  }));
}

/**
 * Whatever the reason, a human may change the definition (a new run), take the work as it is, and
 * end it (EV-68); what a reason does not name itself comes after what it does.
 */
function withRights(options: readonly EscalationOption[]): readonly EscalationOption[] {
  const has = (verb: string) => options.some(({ command }) => command.startsWith(`pawl ${verb} `));
  const own = options.filter((one) => one !== cancel);
  return [...own, ...(has('retry') ? [] : [changed]), ...(has('accept') ? [] : [accept]), cancel];
}

const transfer = option('on another machine', 'pawl resume <run> --on <worker>');
const forWorker = [
  option('when such a worker is there, go on', 'pawl resume <run>'),
  option('who is there, with which labels', 'pawl worker list'),
  option('make one known', 'pawl worker enroll'),
] as const;

/** Reasons that lie in the machine rather than in the work. */
const ofMachine: readonly ParkReason[] = [
  'recovery_exhausted',
  'dispatch_failed',
  'workspace_lost',
  'disk_full',
  'setup_failed',
  'auth_required',
];

/** No other agent helps where no machine is; another machine may where one failed. */
function withWorkers(
  reason: ParkReason,
  options: readonly EscalationOption[],
  { worker = null, isUnplaced = false, isInPlace = false }: EscalationFacts,
): readonly EscalationOption[] {
  if (isUnplaced) {
    return [...forWorker, ...options.filter((one) => one !== resume && one !== otherAgent)];
  }
  const [first, ...others] = options;
  // What works in the folder of a user works on his machine and nowhere else.
  const isMovable = worker !== null && !isInPlace && ofMachine.includes(reason);
  if (!isMovable || first === undefined) return options;
  return [first, transfer, ...others];
}

interface Missing {
  readonly kind: 'variable' | 'secret';
  readonly name: string;
  /** The secret that is kept in the variable. */
  readonly secret?: string;
}

/** Where the agent was refused calls, that may be why it stopped; who has all gets no more. */
function withLeave(
  options: readonly EscalationOption[],
  { isRefused = false, isTrusted = false }: EscalationFacts,
): readonly EscalationOption[] {
  if (isTrusted) return options.filter((one) => one !== allowMore);
  if (!isRefused || options.includes(allowMore)) return options;
  const [first, ...others] = options.map((one) => (one === changed ? changedPolicy : one));
  return first === undefined ? [allowMore] : [first, allowMore, ...others];
}

/** What a park for want of a login says is missing instead; null: it is a login. */
export function missingIn(detail: string): Missing | null {
  const variable = /([A-Za-z_]\w*) is not set for the driver/.exec(detail)?.[1];
  const secret = /the secret (\w+) cannot be had/.exec(detail)?.[1];
  const kept = secret === undefined ? {} : { secret };
  if (variable !== undefined) return { kind: 'variable', name: variable, ...kept };
  return secret === undefined ? null : { kind: 'secret', name: secret };
}

/** Where a secret or a variable is missing, no login helps: the way to it takes its place. */
function withoutLogin(
  options: readonly EscalationOption[],
  { missing = null }: EscalationFacts,
): readonly EscalationOption[] {
  if (missing === null || !options.includes(logIn)) return options;
  const { kind, name, secret = name } = missing;
  const elsewhere = `say where it is kept: secrets: { ${secret}: "file:…" }`;
  const ways =
    kind === 'variable'
      ? [
          option(
            `export ${name}, end the driver (service status has its pid), then go on`,
            'pawl resume <run>',
          ),
          option(elsewhere, 'pawl retry <run> --edit'),
        ]
      : [
          option(`make the secret ${name} readable, then go on`, 'pawl resume <run>'),
          option(elsewhere, 'pawl retry <run> --edit'),
        ];
  return [...ways, ...options.filter((one) => one !== logIn && one !== otherAgent)];
}

/** What stands on a tree of its own is not offered where there is none. */
function withoutTree(
  options: readonly EscalationOption[],
  { isInPlace = false }: EscalationFacts,
): readonly EscalationOption[] {
  if (!isInPlace) return options;
  return options
    .filter(({ command }) => !/ --(?:restore|verify-now)\b/.test(command))
    .map((one) => (one === theyAreRight ? orPutBack : one));
}

function said(text: string, { best, maker }: EscalationFacts): string {
  return text.replace('<maker>', maker).replace(best === null ? ' from the best tree' : '', '');
}

function filled(command: string, { best, paths, maker, worker }: EscalationFacts): string {
  return command
    .replace(' --from-attempt <n>', best === null ? '' : ` --from-attempt ${best}`)
    .replace('<worker>', worker ?? '')
    .replace('<agent>', maker === 'codex' ? 'claude' : 'codex')
    .replace('--allow <path>', allowed(paths));
}

/** The flags that allow these paths, as a POSIX shell takes them. */
export function allowed(paths: readonly string[]): string {
  const named = paths.length === 0 || paths.length > pathsNamedMax ? ['**'] : paths;
  return named.map((path) => `--allow ${quoted(path)}`).join(' ');
}
function quoted(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
