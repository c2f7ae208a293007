/**
 * What the newest events of a run tell the next turn: the last verdict, and an answered question.
 */
import type { Digest } from '../domain/ids.ts';
import type { LivingRun } from '../domain/run/state.ts';
import type { Verdict } from '../domain/verdict/verdict.ts';
import type { Artifacts } from '../ports/artifacts.ts';
import type { Store } from '../ports/store.ts';
import { legibleOf, verdictOf } from './artifact-text.ts';

/** How far back a turn looks; older things are in the history. */
const eventsMax = 200;

export interface Recent {
  /** Of the newest attempt that was judged. */
  readonly verdict: Verdict | null;
  /** A question that the operator answered since the last turn. */
  readonly exchange: { readonly question: string | null; readonly answer: string } | null;
}

export async function recentOf(
  sources: { readonly store: Pick<Store, 'events' | 'loadRun'>; readonly artifacts: Artifacts },
  run: LivingRun,
): Promise<Recent> {
  const { store, artifacts } = sources;
  const version = (await store.loadRun(run.id))?.version ?? 0;
  const events = await store.events(run.id, Math.max(0, version - eventsMax), eventsMax);
  let verdict: Digest | null = null;
  let question: Digest | null = null;
  for (const { event } of events) {
    if (event.type === 'verification.recorded') verdict = event.verdict ?? verdict;
    if (event.type === 'run.parked') question = event.text;
  }
  const answer = await textIn(artifacts, run.answer);
  return {
    verdict: verdict === null ? null : await verdictOf(artifacts, verdict),
    exchange: answer === null ? null : { question: await textIn(artifacts, question), answer },
  };
}

const textIn = (artifacts: Artifacts, digest: Digest | null): Promise<string | null> =>
  digest === null ? Promise.resolve(null) : legibleOf(artifacts, digest);
