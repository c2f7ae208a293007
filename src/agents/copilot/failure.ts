/**
 * Copilot says that its turn ended whatever it came to; over ACP a failure is a last line that
 * Copilot itself composes. Its fixed beginnings are read (recorded with 1.0.102), and the status
 * that it gives, never what the service said; where there is a models door, the door tells more.
 */
import type { FailureClass } from '../../domain/execution/state.ts';
import { clipLine } from '../../kernel/text.ts';
import type { SaidTurn } from '../drivers/acp/profile.ts';
import { classOfStatus, failureTold, type ToldFailure } from '../drivers/failure.ts';

const detailMax = 500;
const gaveUp =
  /^Error: Failed to get response from the AI model; retried \d+ times .*?(?:Last error: (\d{3})\b|$)/s;
const beginnings: readonly (readonly [RegExp, FailureClass])[] = [
  [/^Error: Authentication failed with provider at /, 'auth_required'],
  [/^Error: The provider rejected the prompt as too long\b/, 'context_overflow'],
];

export function silentFailure({ lastPiece }: Pick<SaidTurn, 'lastPiece'>): ToldFailure | null {
  const found = classOf(lastPiece);
  return found === null ? null : failureTold(found, clipLine(lastPiece, detailMax));
}

function classOf(said: string): FailureClass | null {
  const known = beginnings.find(([beginning]) => beginning.test(said));
  if (known !== undefined) return known[1];
  const refused = /^Error: (\d{3}) /.exec(said);
  if (refused !== null) return classOfStatus(Number(refused[1])) ?? 'dispatch_failed';
  const tried = gaveUp.exec(said);
  if (tried === null) return null;
  return classOfStatus(tried[1] === undefined ? null : Number(tried[1])) ?? 'transport_lost';
}
