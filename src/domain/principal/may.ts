/**
 * Who may issue what (DESIGN §11a), as data. One function enforces it at the engine's edge, the
 * same for every surface; the deciders ask it again, so that no path goes round it.
 */
import type { RunCommand } from '../run/message.ts';
import type { Principal, PrincipalKind } from './principal.ts';

/** Verbs that are not commands of a run's stream, beside those that are. */
export type GovernedCommand =
  | RunCommand['type']
  | 'retry_ended'
  | 'retry_parked'
  | 'land'
  | 'prune'
  | 'loop_approve'
  | 'loop_resume'
  | 'loop_schedule'
  | 'raise_brake'
  | 'change_policy'
  | 'operator_token'
  | 'enrol_worker'
  | 'sweep'
  | 'offer'
  | 'tick'
  | 'claim'
  | 'heartbeat'
  | 'result'
  | 'cancel_ack'
  | 'ask';

/**
 * A permission holds always, or only for runs that the principal itself started, or where the run
 * allows nested ones.
 */
type When = 'always' | 'own_runs' | 'nested';
type Permissions = Readonly<Partial<Record<PrincipalKind, When>>>;

const humanOnly: Permissions = { human: 'always' };
const steering: Permissions = { human: 'always', automation: 'own_runs' };
const machinery: Permissions = { automation: 'always', driver: 'always' };
const holders: Permissions = { worker: 'always' };

/** The recording of a refusal is open to all: whoever was refused is recorded. */
const everybody: Permissions = {
  human: 'always',
  automation: 'always',
  lane: 'always',
  worker: 'always',
  driver: 'always',
};

export const permissions: Readonly<Record<GovernedCommand, Permissions>> = {
  start: { human: 'always', automation: 'always', lane: 'nested' },
  hint: steering,
  pause: steering,
  cancel: steering,
  retry_ended: { human: 'always', automation: 'always' },

  resolve_gate: humanOnly,
  answer: humanOnly,
  accept: humanOnly,
  resume: humanOnly,
  consult: humanOnly,
  retry_parked: humanOnly,
  land: humanOnly,
  record_landing: humanOnly,
  prune: humanOnly,
  loop_approve: humanOnly,
  loop_resume: humanOnly,
  loop_schedule: humanOnly,
  raise_brake: humanOnly,
  change_policy: humanOnly,
  operator_token: humanOnly,
  enrol_worker: humanOnly,

  job_ended: { ...machinery, worker: 'always' },
  fire_timer: machinery,
  open_permission: machinery,
  void_permission: machinery,
  no_capacity: machinery,
  stop_for_budget: machinery,
  fail_dispatch: machinery,
  park_internal_error: machinery,
  sweep: machinery,
  offer: machinery,
  tick: machinery,
  record_refusal: everybody,
  plan_notice: machinery,
  record_notice: machinery,
  record_sleep: machinery,
  record_escalation: machinery,

  claim: holders,
  heartbeat: holders,
  result: holders,
  cancel_ack: holders,
  ask: holders,
};

/** What the command is about, as far as the table asks. */
export interface Subject {
  readonly startedBy: PrincipalKind;
  readonly startedActor: string;
}

export interface Circumstances {
  /** The run that the command is about; null for a command about none. */
  readonly subject?: Subject | null;
  /** Whether the definition that the lane works under still allows a nested run. */
  readonly nestedAllowed?: boolean;
}

export function may(
  principal: Principal,
  command: GovernedCommand,
  { subject = null, nestedAllowed = false }: Circumstances = {},
): boolean {
  const kind = provenKind(principal);
  switch (permissions[command][kind]) {
    case 'always':
      return true;
    case 'own_runs':
      return subject?.startedBy === kind && subject.startedActor === principal.actor;
    case 'nested':
      return nestedAllowed;
    default:
      return false;
  }
}

/** Who only says that he is human is a program. */
function provenKind(principal: Principal): PrincipalKind {
  return principal.kind === 'human' && !isProvenHuman(principal) ? 'automation' : principal.kind;
}

/** Whether the refusal should read "ask the operator": nobody but a human may. */
export function isHumanOnly(command: GovernedCommand): boolean {
  return permissions[command] === humanOnly;
}

/**
 * A terminal without a lane or an agent among its ancestors, a sign-in, or an operator token. An
 * ancestry that no platform can tell is let through and shown as such (docs/threat-model.md).
 */
export function isProvenHuman({ kind, channel, ancestry }: Principal): boolean {
  if (kind !== 'human') return false;
  if (channel === 'terminal') return ancestry === 'clean' || ancestry === 'unknown';
  return channel === 'ui' || channel === 'token';
}
