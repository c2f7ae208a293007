/** What `approve` and `reject` share: which run, which gate, and what waits when none is named. */
import { RequestError } from '../kernel/errors.ts';
import type { RunView } from '../ports/client.ts';
import type { StoredEvent } from '../ports/store.ts';
import type { ApprovalId, Principal } from '../ports/words.ts';
import { answer, type Context } from './command.ts';
import { nothingOf } from './empty.ts';
import { exits } from './exit.ts';
import { lookOnce } from './follow.ts';
import { clock, shortSpan } from './format.ts';
import { gateWords, shortApproval } from './gate-words.ts';
import { standing, stepsFor, wrongVerb } from './next.ts';
import { report } from './report.ts';
import { table } from './views/page.ts';
import { runJson } from './wire.ts';

/**
 * The run of a reference, or of the id of its approval (`<run>.a<n>`), and who answers. A human is
 * asked for first, so that every refusal is recorded. Who comes second is told what the first said.
 * @throws RequestError.
 */
export async function gatedRun(
  context: Context,
  reference: string,
  gate: { readonly verb: string; readonly more: string },
): Promise<{ readonly view: RunView; readonly principal: Principal }> {
  const named = /^(.+)\.(a\d+)$/.exec(reference);
  const view = await context.find(named?.[1] ?? reference);
  const approval = named === null ? null : (`${view.id}.${named[2]}` as ApprovalId);
  const line = `${context.called} ${gate.verb} ${view.short}${gate.more}`;
  const principal = await context.human(gate.verb, view, line);
  const isOpen = view.gate !== null && (approval === null || view.gate.approval === approval);
  if (isOpen) return { view, principal };
  const settled = await settledBefore(context, view, approval);
  if (settled !== null) throw settled;
  if (view.gate === null) throw wrongVerb(view, 'waiting for approval', context.called);
  throw wrongVerb(
    view,
    `waiting for ${reference} (open: ${shortApproval(view, view.gate.approval)})`,
    context.called,
  );
}

const channels: Readonly<Record<string, string>> = {
  terminal: 'in the terminal',
  token: 'by token',
  ui: 'in the UI',
};

/** What became of the named approval, or of the newest one (UX 5.3); null when there was none. */
export async function settledBefore(
  context: Context,
  view: RunView,
  approval: ApprovalId | null,
): Promise<RequestError | null> {
  // A parked run has a reason of its own, and the verb that lifts it is the better answer.
  if (approval === null && view.status === 'needs_operator') return null;
  const { events } = await lookOnce(await context.client(), view.id, 0);
  const stored = events.findLast(
    ({ event }) =>
      event.type === 'gate.resolved' && (approval === null || event.approval === approval),
  );
  if (stored?.event.type !== 'gate.resolved') return null;
  const { outcome, by, channel, approval: id } = stored.event;
  const time = clock(context.io, stored.at);
  const open =
    view.gate === null ? '' : `; the new request is ${shortApproval(view, view.gate.approval)}`;
  const isCall = isCallIn(events, id);
  const shown = isCall ? shortApproval(view, id) : id;
  const what = {
    approved: `already approved by ${by} ${channels[channel] ?? `by ${channel}`} at ${time}`,
    rejected: `already rejected by ${by} ${channels[channel] ?? `by ${channel}`} at ${time}`,
    expired: `${shown} expired at ${time} (nobody answered); ${isCall ? 'the call was refused and the agent was told' : `${view.short} is ${standing(view)}`}${open}`,
    voided: isCall
      ? isTakenBack(events, id)
        ? `void: the agent took its request back at ${time}${open}`
        : voidedCall(view, open)
      : `void: ${view.short} went on without it at ${time}${open}`,
  }[outcome];
  const next = stepsFor(view, context.called)[0]?.command ?? `${context.called} show ${view.short}`;
  return new RequestError('already_resolved', what, { next, facts: { approval: id, outcome, by } });
}

/** `open`: the request that waits now; without one nothing says that its lane died. */
const voidedCall = (view: RunView, open: string): string =>
  open === ''
    ? `void: its lane is gone; ${view.short} is ${standing(view)}`
    : `void: the lane died${open}`;

const isTakenBack = (events: readonly StoredEvent[], approval: ApprovalId): boolean =>
  events.some(
    ({ event }) =>
      event.type === 'permission.answered' &&
      event.approval === approval &&
      event.why === 'withdrawn',
  );

const isCallIn = (events: readonly StoredEvent[], approval: ApprovalId): boolean =>
  events.some(
    ({ event }) =>
      event.type === 'gate.opened' &&
      event.gate.approval === approval &&
      event.gate.kind === 'permission',
  );

export interface Resolution {
  readonly view: RunView;
  readonly principal: Principal;
  readonly outcome: 'approved' | 'rejected';
  readonly note: string | null;
  /** A lane's call: the same again for the whole run. */
  readonly forRun?: true;
}

/** Sends the answer and says what became of the run. */
export async function resolved(context: Context, resolution: Resolution): Promise<number> {
  const { view, principal, outcome, note, forRun } = resolution;
  const client = await context.client();
  const reach = forRun === undefined ? {} : { forRun };
  const said = { approval: view.gate?.approval ?? null, outcome, note, ...reach };
  const next = await client.resolveGate(view.id, said, principal);
  await client.ensureDriver();
  const approval = {
    ...{ id: view.gate?.approval ?? null, kind: view.gate?.kind ?? null, run: view.id, outcome },
    ...{ actor: principal.actor, channel: principal.channel },
    ...digestsOf(view),
  };
  const line = saidWords(resolution);
  return report(context, next, { line, fields: { approval } });
}

function saidWords({ view, outcome, forRun }: Resolution): string {
  const isCall = view.gate?.kind === 'permission';
  if (outcome === 'approved') {
    if (!isCall) return 'approved';
    return forRun === true
      ? 'approved for the run; the agent goes on'
      : 'approved once; the agent goes on';
  }
  return isCall
    ? 'rejected; the agent is refused, and its next prompt has your note'
    : 'rejected; the next attempt gets your note';
}

/** What a yes to a call is bound to. */
function digestsOf({ gate, definition }: RunView) {
  if (gate?.kind !== 'permission') return {};
  const { args, definition: tool } = gate.ask;
  return { digests: { args, tool, policy: definition ?? null } };
}

/** What waits here, in the order of the store. */
export async function waitingGates(context: Context): Promise<readonly RunView[]> {
  const client = await context.client();
  const project = await context.projectFilter();
  const status = ['waiting_human'] as const;
  return client.list({ project, open: true, status, since: null, limit: 100, demo: true });
}

/** `pawl approve` alone lists what waits. */
export async function listGates(context: Context, waiting: readonly RunView[]): Promise<number> {
  const now = context.io.now();
  const rows = waiting.map((view) => [
    `? ${view.name} ${view.short}`,
    gateWords(view),
    shortSpan(now - (view.gate?.askedAt ?? now)),
    `${context.called} approve ${view.short}`,
  ]);
  const lines =
    rows.length === 0
      ? nothingOf(context, 'nothing waits for approval', 'approve')
      : table(rows, context.style.columns);
  answer(context, lines, {
    schema: 'pawl.approvals/1',
    runs: waiting.map((view) => runJson(view)),
  });
  return exits.done;
}
