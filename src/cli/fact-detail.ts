/**
 * Reads what a finished line tells beyond its event: the checks' words, the files of an attempt.
 */
import type { Client } from '../ports/client.ts';
import type { StoredEvent } from '../ports/store.ts';
import type { Commit } from '../ports/words.ts';
import type { Context } from './command.ts';
import { changedFiles, type Standing, verdictsOf } from './ending.ts';
import { receiptFacts } from './receipt-facts.ts';
import type { FactDetail } from './views/fact-shape.ts';

/** Null: the event says all. `files`: git is asked too. */
export async function factDetail(
  look: { readonly context: Context; readonly client: Client; readonly files: boolean },
  { event }: StoredEvent,
  standing: Standing,
): Promise<FactDetail | null> {
  if (event.type === 'baseline.recorded') {
    const receipt = await receiptFacts(look.client, event.receipt);
    return receipt === null ? null : { results: receipt.results, changed: null };
  }
  if (event.type !== 'attempt.ended') return null;
  const { n } = event.attempt;
  const view = { ...standing.view, attempt: { ...standing.view.attempt, n } };
  const verdicts = await verdictsOf(look.client, { view, story: standing.story });
  return {
    results: verdicts.flatMap(({ criteria }) => criteria),
    changed: look.files ? await filesOf(look.context, standing, n) : null,
  };
}

function filesOf(context: Context, { view, story }: Standing, n: number) {
  const head = story.attempts.get(n)?.commit ?? null;
  const before = story.attempts.get(n - 1)?.commit ?? view.base;
  return changedFiles(context, {
    view: { ...view, base: before as Commit | null, head: head as Commit | null },
  });
}
