/**
 * The card of an approval in place (UX 3.2): where the run that is watched comes to wait for a
 * human, who answers without leaving the view. An answer from elsewhere closes the card.
 */
import type { Client, RunView } from '../ports/client.ts';
import { answerCard, type CardEnd } from './approval-card.ts';
import { canAsk } from './ask.ts';
import type { Context } from './command.ts';
import { endingLines, type Standing } from './ending.ts';
import { follow } from './follow.ts';
import { settledBefore } from './gate.ts';

/** Only a human at a terminal meets a card: not `--yes`, `--no-input`, a pipe, or CI. */
export async function mayAnswer(context: Context): Promise<boolean> {
  return canAsk(context) && (await context.principal()).kind === 'human';
}

export interface CardInView {
  readonly client: Client;
  readonly standing: Standing;
  /** Version after which events are news. */
  readonly after: number;
  /** Until then an answer is waited for. */
  readonly isLate: () => boolean;
}

/** Shows page and keys; says what was answered elsewhere. */
export async function cardInView(context: Context, card: CardInView): Promise<CardEnd> {
  context.print(['', ...(await endingLines(context, card.standing))]);
  const settled = new AbortController();
  const over = new AbortController();
  // A look that fails closes the card as well: the view looks again, and tells.
  const end = (): void => settled.abort();
  const watching = untilSettled(context, card, over.signal).then(end, end);
  try {
    return await answered(context, card, settled.signal);
  } finally {
    over.abort();
    await watching;
  }
}

async function answered(
  context: Context,
  { client, standing: { view } }: CardInView,
  settled: AbortSignal,
): Promise<CardEnd> {
  const end = await pressed(context, view, settled);
  if (!('key' in end) || end.why !== 'settled' || view.gate === null) return end;
  const now = await client.find({ text: view.id, project: null });
  if (now.gate?.approval === view.gate.approval) return end;
  const what = await settledBefore(context, now, view.gate.approval);
  if (what !== null) context.print(['', what.message]);
  return end;
}

async function pressed(context: Context, view: RunView, settled: AbortSignal): Promise<CardEnd> {
  try {
    return await answerCard(context, { view, principal: await context.principal() }, settled);
  } catch (error: unknown) {
    // Answered twice in the same moment: the first counts, and the view goes on with it.
    if (!(error instanceof Error && 'code' in error && error.code === 'wrong_verb')) throw error;
    return { key: null, why: 'settled' };
  }
}

async function untilSettled(
  { io }: Context,
  { client, standing: { view }, after, isLate }: CardInView,
  signal: AbortSignal,
): Promise<void> {
  for await (const look of follow({ client, io, run: view.id, signal, after })) {
    if (look.view.gate?.approval !== view.gate?.approval || isLate()) return;
  }
}
