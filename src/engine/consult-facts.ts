/** What the record of a parked run tells a council: its story, and the page that was kept of it. */
import type { Digest } from '../domain/ids.ts';
import type { LivingRun } from '../domain/run/state.ts';
import type { Verdict } from '../domain/verdict/verdict.ts';
import { fieldsOf, listOf, parsedJson } from '../kernel/json.ts';
import type { Artifacts } from '../ports/artifacts.ts';
import type { RunView } from '../ports/client.ts';
import type { Store } from '../ports/store.ts';
import { noStory, type Story, tell } from '../ports/story.ts';
import { legibleOf, verdictOf } from './artifact-text.ts';
import { streamOf } from './stream-pages.ts';

export interface ParkedFacts {
  /** Of the newest attempt that was judged. */
  readonly verdict: Verdict | null;
  /** Question, blocker or file list that it is parked with. */
  readonly text: string | null;
  /** How its newest lane ended, and what was done about lost ones; one line each, oldest first. */
  readonly happened: readonly string[];
  /** What that lane printed last, where its page was kept. */
  readonly printed: readonly string[];
  /** What that page says can be done; null: no page that says it was kept. */
  readonly options: RunView['options'] | null;
}

const recoveriesMax = 8;

export async function parkedFacts(
  sources: { readonly store: Pick<Store, 'events'>; readonly artifacts: Artifacts },
  run: LivingRun,
): Promise<ParkedFacts> {
  const { store, artifacts } = sources;
  let story = noStory;
  for await (const stored of streamOf(store, run.id)) story = tell(story, [stored]);
  const judged = [...story.attempts.values()].findLast(({ verdicts }) => verdicts.length > 0);
  const verdict = judged?.verdicts.at(-1) ?? null;
  const isParked = run.status === 'needs_operator';
  const page = isParked ? await textIn(artifacts, run.escalation ?? null) : null;
  const kept = fieldsOf(page === null ? null : parsedJson(page));
  const evidence = fieldsOf(kept['evidence']);
  const options = listOf(kept['options']).flatMap(optionIn);
  return {
    verdict: verdict === null ? null : await verdictOf(artifacts, verdict),
    text: isParked ? await textIn(artifacts, run.text) : null,
    happened: happenedIn(story),
    printed: listOf(evidence['printed']).filter((line) => typeof line === 'string'),
    options: options.length === 0 ? null : options,
  };
}

function optionIn(value: unknown): RunView['options'] {
  const { command, effect } = fieldsOf(value);
  return typeof command === 'string' && typeof effect === 'string' ? [{ command, effect }] : [];
}

const textIn = async (artifacts: Artifacts, digest: Digest | null): Promise<string | null> =>
  digest === null ? null : legibleOf(artifacts, digest);

function happenedIn({ recoveries, lastEnd, lastSigns }: Story): readonly string[] {
  const lost = recoveries
    .slice(-recoveriesMax)
    .map((one) => `${one.execution}: ${one.class}, so: ${one.action}; ${one.detail}`);
  const doing = lastSigns === null ? '' : `; last seen ${lastSigns.signs.state}`;
  return [...lost, ...(lastEnd === null ? [] : [`the newest lane ended: ${lastEnd}${doing}`])];
}
