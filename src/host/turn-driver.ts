/**
 * Drives an agent that takes one turn a process over as many as its job needs (DESIGN §7). A turn
 * that met a bound of the program's own, the length of an answer or a number of steps, is not one
 * that the agent ended: it is told to go on in its own conversation, in the same tree and the same
 * execution, a bounded number of times. What ended by itself is the check's to judge; what died
 * before that is taken up by a new execution of the same attempt (lane-host.md 12).
 */
import type { Usage } from '../domain/execution/state.ts';
import type { TurnEnd } from '../ports/agent.ts';
import { type AgentTurn, type AgentTurnRequest, agentTurn } from './agent-turn.ts';
import type { LaneWork } from './lane-work.ts';
import { usageAfter } from './usage-after.ts';

/** A program that meets its bound again and again does not come to an end. */
export const continuationsMax = 3;

/** Short: the conversation has the rest of it. */
export const continuePrompt =
  'Your turn was cut short before you had ended it. Go on where you stopped, and end your turn when the work is done.';

export async function driveTurns(work: LaneWork, request: AgentTurnRequest): Promise<AgentTurn> {
  let taken = await agentTurn(work, request);
  for (let count = 1; count <= continuationsMax; count += 1) {
    const cut = cutShort(work, taken);
    if (cut === null) break;
    const { sessionId, usage, reason } = cut;
    work.journal.note(
      `its turn was cut short (${reason}); it goes on, ${count} of ${continuationsMax}`,
    );
    work.selfReported.before = usage;
    const dispatch = { ...request.dispatch, prompt: continuePrompt, sessionId };
    taken = withBefore(await agentTurn(work, { ...request, dispatch, isContinued: true }), usage);
  }
  return taken;
}

interface Cut {
  readonly sessionId: string;
  readonly usage: Usage | null;
  readonly reason: string;
}

/** Null: it may not go on, or need not. */
function cutShort(work: LaneWork, taken: AgentTurn): Cut | null {
  if (!taken.ok) return null;
  const { end, endedBy, denied } = taken.turn;
  if (end.outcome !== 'turn_ended' || end.cut === undefined || end.sessionId === null) return null;
  const isOver = endedBy === 'stop' || endedBy === 'deadline' || denied !== null;
  // What the models door has refused it will refuse again.
  if (isOver || work.signal.aborted || (work.door.state()?.closed ?? null) !== null) return null;
  return { sessionId: end.sessionId, usage: end.usage, reason: end.cut };
}

function withBefore(taken: AgentTurn, before: Usage | null): AgentTurn {
  if (!taken.ok) return taken;
  const { end } = taken.turn;
  const usage = usageAfter(before, end.usage);
  return { ...taken, turn: { ...taken.turn, end: { ...end, usage } satisfies TurnEnd } };
}
