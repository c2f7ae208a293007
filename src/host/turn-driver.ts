/**
 * Drives an agent that takes one turn a process over as many as its job needs (DESIGN §7). A turn
 * that met a bound of the program's own, the length of an answer or a number of steps, is not one
 * that the agent ended: it is told to go on in its own conversation, in the same tree and the same
 * execution, a bounded number of times. So is one that nothing moved in any more, when its engine
 * gives it a push. What ended by itself is the check's to judge; what died
 * before that is taken up by a new execution of the same attempt (lane-host.md 12).
 */
import type { Usage } from '../domain/execution/state.ts';
import { recoveryFigures } from '../domain/recovery/figures.ts';
import type { TurnEnd } from '../ports/agent.ts';
import { type AgentTurn, type AgentTurnRequest, agentTurn } from './agent-turn.ts';
import type { LaneWork } from './lane-work.ts';
import { usageAfter } from './usage-after.ts';

/** A program that meets its bound again and again does not come to an end. */
export const continuationsMax = 3;

/** Short: the conversation has the rest of it. */
export const continuePrompt =
  'Your turn was cut short before you had ended it. Go on where you stopped, and end your turn when the work is done.';

/** To one that was called off since nothing moved. */
export const nudgePrompt =
  'Nothing had moved for a while, so your turn was interrupted. Go on where you stopped; what did not come back, try another way. End your turn when the work is done.';

export async function driveTurns(work: LaneWork, asked: AgentTurnRequest): Promise<AgentTurn> {
  const request = { ...asked, isDriven: true };
  const { nudges } = recoveryFigures(asked.dispatch.definition.recovery);
  const left = { cut: continuationsMax, nudged: nudges };
  let taken = await agentTurn(work, request);
  for (;;) {
    const cut = cutShort(work, taken);
    if (cut === null || left[cut.how] === 0) return taken;
    left[cut.how] -= 1;
    const { sessionId, usage, reason, how } = cut;
    const count = how === 'cut' ? `, ${continuationsMax - left.cut} of ${continuationsMax}` : '';
    work.journal.note(`its turn was cut short (${reason}); it goes on${count}`);
    work.selfReported.before = usage;
    const prompt = how === 'cut' ? continuePrompt : nudgePrompt;
    const dispatch = { ...request.dispatch, prompt, sessionId };
    taken = withBefore(await agentTurn(work, { ...request, dispatch, isContinued: true }), usage);
  }
}

interface Cut {
  readonly how: 'cut' | 'nudged';
  readonly sessionId: string;
  readonly usage: Usage | null;
  readonly reason: string;
}

/** Null: it may not go on, or need not. */
function cutShort(work: LaneWork, taken: AgentTurn): Cut | null {
  if (!taken.ok) return null;
  const { end, endedBy, denied, isNudged } = taken.turn;
  const bound = end.outcome === 'turn_ended' ? (end.cut ?? null) : null;
  const reason = isNudged ? 'nothing moved' : bound;
  if (reason === null || end.outcome === 'lane_died' || end.sessionId === null) return null;
  const isOver = endedBy === 'stop' || endedBy === 'deadline' || denied !== null;
  // What the models door has refused it will refuse again.
  if (isOver || work.signal.aborted || (work.door.state()?.closed ?? null) !== null) return null;
  const { sessionId, usage } = end;
  return { how: isNudged ? 'nudged' : 'cut', sessionId, usage, reason };
}

function withBefore(taken: AgentTurn, before: Usage | null): AgentTurn {
  if (!taken.ok) return taken;
  const { end } = taken.turn;
  const usage = usageAfter(before, end.usage);
  return { ...taken, turn: { ...taken.turn, end: { ...end, usage } satisfies TurnEnd } };
}
