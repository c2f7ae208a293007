/**
 * Notices of a run: planned before anything is sent, settled once (faults L-H9). A plan for an
 * event that was planned for before is a no-op, and so is an outcome that nobody waits for: a
 * notice is never sent twice, and one whose outcome nobody can prove is told as not delivered.
 */
import { ok, type Result } from '../../kernel/result.ts';
import { clipLine } from '../../kernel/text.ts';
import { add, draftOf } from './draft.ts';
import type { RunCommand, RunEvent } from './message.ts';
import type { LivingRun } from './state.ts';
import { noticesOf, targetsMax } from './told.ts';

type Command<T extends RunCommand['type']> = Extract<RunCommand, { type: T }>;
type Decision = Result<readonly RunEvent[], never>;

const labelMax = 100;
const detailMax = 200;

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
