/**
 * What an agent says of the end of its turn in `PAWL_RESULT_FILE`, where its own protocol has no
 * word for it: that it asks, or that it is blocked. Its own word about anything else stands.
 */
import type { TurnEnd } from '../../ports/agent.ts';
import { parseResult } from '../command/result.ts';

/** `sessionId`: of a program that ended before it said that its turn is over, too. */
export function withLeft(
  end: TurnEnd,
  resultFile: string | null,
  sessionId: string | null,
): TurnEnd {
  if (resultFile === null || (end.outcome !== 'turn_ended' && end.outcome !== 'lane_died')) {
    return end;
  }
  const { usage } = end;
  const parsed = parseResult(resultFile);
  if (parsed.ok) {
    const { outcome, text } = parsed.value;
    const isAsking = outcome === 'question' || outcome === 'blocked';
    return isAsking ? { outcome, text, until: null, usage, sessionId } : end;
  }
  // What had died has no result that could be wrong.
  if (end.outcome === 'lane_died') return end;
  return { outcome: 'invalid_result', text: parsed.error, until: null, usage, sessionId };
}
