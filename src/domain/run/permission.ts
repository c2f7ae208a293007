/**
 * A lane that asks for leave, and what it is told (DESIGN §4.1: waiting_human, tool approval). The
 * lane lives while the run waits for its operator; the run goes on with the same execution whatever
 * the answer. Only a yes allows: refusal and expiry fail closed, and a lane that is gone is told
 * nothing.
 */
import { err, ok, type Result } from '../../kernel/result.ts';
import { grantFor, type PermissionGrant } from '../approval/permission.ts';
import { add, type Draft, draftOf } from './draft.ts';
import type { Permission } from './evolve-permission.ts';
import type { RunCommand, RunEvent, RunRejection } from './message.ts';
import { askedNow } from './proceed.ts';
import type { LivingRun } from './state.ts';

type Decision = Result<readonly RunEvent[], RunRejection>;
type OpenPermission = Extract<RunCommand, { type: 'open_permission' }>;
type ResolveGate = Extract<RunCommand, { type: 'resolve_gate' }>;

/** A human is asked, unless one has said yes to this very call and the yes still holds. */
export function openPermission(run: LivingRun, { execution, ask, at }: OpenPermission): Decision {
  if (run.status !== 'active' || run.stage.phase !== 'executing') return stale(execution);
  if (run.stage.execution !== execution) return stale(execution);
  const { point } = run.stage;
  const draft = draftOf<LivingRun>(run, at);
  const grant = grantFor(run.permissions ?? [], { ask, execution });
  if (grant === null) {
    const gate = { kind: 'permission', ...askedNow(draft), execution, ask, point } as const;
    return ok(add(draft, { type: 'gate.opened', gate }).events);
  }
  const { approval } = grant;
  const said = { execution, request: ask.request, decision: 'allow', approval } as const;
  const used = { ...grant, execution };
  return ok(
    add(draft, { type: 'permission.answered', ...said, why: 'matched', grant: used }).events,
  );
}

const stale = (execution: OpenPermission['execution']): Decision =>
  err({ code: 'job.stale', execution });

/** The note of a refusal goes into the next prompt: a protocol has no room for it. */
export function answeredBy(draft: Draft, gate: Permission, command: ResolveGate): Draft {
  const { outcome, note, principal } = command;
  if (outcome === 'approved') return answered(draft, gate, 'approved', command.forRun === true);
  const refused = answered(draft, gate, 'rejected');
  if (note === null) return refused;
  return add(refused, { type: 'hint.added', text: note, by: principal.actor });
}

export function answered(
  draft: Draft,
  gate: Permission,
  why: 'approved' | 'rejected' | 'expired' | 'withdrawn',
  forRun = false,
): Draft {
  const { execution, approval, ask } = gate;
  const { request, args, definition } = ask;
  const scope = forRun ? 'run' : 'once';
  const grant: PermissionGrant = { approval, args, definition, scope, execution };
  const isYes = why === 'approved';
  return add(draft, {
    type: 'permission.answered',
    ...{ execution, request, approval, why },
    decision: isYes ? 'allow' : 'deny',
    grant: isYes ? grant : null,
  });
}
