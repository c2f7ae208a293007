/**
 * The options of a parked run: those of the row of its reason, fitted to what is known of it and
 * filled in, so that what is printed can be typed.
 */
import type { ParkReason } from '../run/state.ts';
import {
  accept,
  allowMore,
  byHand,
  cancel,
  changed,
  changedPolicy,
  type EscalationOption,
  escalations,
  leaveOut,
  logIn,
  lookAtErrors,
  option,
  orPutBack,
  otherAgent,
  pushed,
  putBack,
  putBackFirst,
  resume,
  theyAreRight,
  verifyNow,
} from './table.ts';

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
  /** False: no work of it was recorded yet. Absent: there is some. */
  readonly isRecorded?: boolean;
  /** False: no host took a lane of it up, so there is no tree. Absent: there may be one. */
  readonly isBegun?: boolean;
  /** Its tree lies on the machine of a worker. */
  readonly isElsewhere?: boolean;
  /** It works in the user's own folder, where nothing is recorded and nothing put back. */
  readonly isInPlace?: boolean;
  /** Calls of the newest attempt were refused. */
  readonly isRefused?: boolean;
  /** It has all permissions that there are. */
  readonly isTrusted?: boolean;
  /** `auth_required`: what is missing when it is no login. */
  readonly missing?: Missing | null;
  /** Another agent that could take it over; absent or null: none is known. */
  readonly agent?: string | null;
  /** A worker that the run could be sent to; null: none is known. */
  readonly worker?: string | null;
  /** It waited for a worker that may take its job, and none came. */
  readonly isUnplaced?: boolean;
  /** Files go back before a further turn: nothing recorded awaits checks that could do it. */
  readonly isAgentNext?: boolean;
  /** What it left, again, is nothing that can be carried to its repository. */
  readonly isUncarried?: boolean;
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
  const known = withoutAgent(escalations[reason].options, facts);
  const fitting = withoutLoad(withoutLogin(known, facts), facts);
  const own = withoutTree(fitting, facts);
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

/** Another agent is offered by its name, or not at all. */
const withoutAgent = (
  options: readonly EscalationOption[],
  { agent = null }: EscalationFacts,
): readonly EscalationOption[] =>
  agent === null ? options.filter((one) => one !== otherAgent) : options;

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

/** The page has said what it left: no error is to be looked at, and no push is enough. */
function withoutLoad(
  options: readonly EscalationOption[],
  { isUncarried = false }: EscalationFacts,
): readonly EscalationOption[] {
  if (!isUncarried) return options;
  return [leaveOut, ...options.filter((one) => one !== lookAtErrors && one !== pushed)];
}

/** What stands on a tree of its own is not offered where there is none, or none within reach. */
function withoutTree(
  all: readonly EscalationOption[],
  {
    isInPlace = false,
    isElsewhere = false,
    isRecorded = true,
    isBegun = true,
    isAgentNext,
  }: EscalationFacts,
): readonly EscalationOption[] {
  const isWithin = isBegun && !isElsewhere;
  const options = all
    .filter((one) => isWithin || (one !== byHand && (isRecorded || one !== verifyNow)))
    .map((one) => (one === putBack && isAgentNext === true ? putBackFirst : one));
  if (!isInPlace) return options;
  return options
    .filter(({ command }) => !/ --(?:restore|verify-now)\b/.test(command))
    .map((one) => (one === theyAreRight ? orPutBack : one));
}

function said(text: string, { best, maker }: EscalationFacts): string {
  return text.replace('<maker>', maker).replace(best === null ? ' from the best tree' : '', '');
}

function filled(
  command: string,
  { best, paths, agent, worker, isRecorded = true }: EscalationFacts,
): string {
  return command
    .replace(' --from last', isRecorded ? ' --from last' : '')
    .replace(' --from-attempt <n>', best === null ? '' : ` --from-attempt ${best}`)
    .replace('<worker>', worker ?? '')
    .replace('<agent>', agent ?? '')
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
