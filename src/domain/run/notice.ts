/**
 * Notices of a run: planned before anything is sent, settled once (faults L-H9). A plan for an event
 * that was planned for before is a no-op, and so is an outcome that nobody waits for: a notice is
 * never sent twice, and one whose outcome nobody can prove is told as not delivered.
 */
import { ok, type Result } from '../../kernel/result.ts';
import { clipLine } from '../../kernel/text.ts';
import { add, draftOf } from './draft.ts';
import type { RunCommand, RunEvent } from './message.ts';
import type { LivingRun, Notices } from './state.ts';

type Command<T extends RunCommand['type']> = Extract<RunCommand, { type: T }>;
type Event<T extends RunEvent['type']> = Extract<RunEvent, { type: T }>;
type Decision = Result<readonly RunEvent[], never>;

const targetsMax = 8;
const labelMax = 100;
const detailMax = 200;

const none: Notices = { seen: 0, pending: [], told: [] };
const noticesOf = ({ notices = none }: LivingRun): Notices => notices;

export function planNotice(run: LivingRun, command: Command<'plan_notice'>): Decision {
  const { about, kind, at } = command;
  const labels = [...new Set(command.to.map((label) => clipLine(label, labelMax)))];
  const to = labels.slice(0, targetsMax);
  if (about <= noticesOf(run).seen || to.length === 0) return ok([]);
  return ok(add(draftOf(run, at), { type: 'notice.planned', about, kind, to }).events);
}

export function recordNotice(run: LivingRun, command: Command<'record_notice'>): Decision {
  const { about, to, state, at } = command;
  const open = noticesOf(run).pending.find((one) => one.about === about && one.to === to);
  if (open === undefined) return ok([]);
  const outcome = {
    about,
    kind: open.kind,
    to,
    state,
    detail: clipLine(command.detail, detailMax),
  };
  return ok(add(draftOf(run, at), { type: 'notice.recorded', ...outcome }).events);
}

export function afterPlan(run: LivingRun, event: Event<'notice.planned'>): Notices {
  const { about, kind } = event;
  const { pending, told } = noticesOf(run);
  const planned = event.to.map((to) => ({ about, kind, to }));
  return { seen: about, pending: [...pending, ...planned].slice(-targetsMax), told };
}

export function afterNotice(run: LivingRun, event: Event<'notice.recorded'>): Notices {
  const { seen, pending, told } = noticesOf(run);
  const { about, to, state, detail } = event;
  const before = told.find((one) => one.to === to);
  const { delivered = 0, notDelivered = 0, detail: last = '' } = before ?? {};
  const counted =
    state === 'delivered'
      ? { to, delivered: delivered + 1, notDelivered, detail: last }
      : { to, delivered, notDelivered: notDelivered + 1, detail };
  return {
    seen,
    pending: pending.filter((one) => one.about !== about || one.to !== to),
    told: [...told.filter((one) => one !== before), counted].slice(-targetsMax),
  };
}
