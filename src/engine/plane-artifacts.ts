/**
 * Which artifacts an execution elsewhere may read: those to which its run refers, those that were
 * offered to it, and its own until its result refers to them. A digest alone opens nothing, however
 * it was come by.
 */
import type { Digest, ExecutionId, Instant, RunId } from '../domain/ids.ts';
import { TransientError } from '../kernel/errors.ts';
import { fieldsOf, listOf, parsedJson } from '../kernel/json.ts';
import type { Engine } from './engine.ts';

export interface PlaneArtifacts {
  /** It may be read under this execution from now on, through any server. */
  allow(execution: ExecutionId, digest: Digest): Promise<void>;
  mayRead(
    of: { readonly run: RunId; readonly execution: ExecutionId },
    digest: Digest,
  ): Promise<boolean>;
}

const prefix = 'plane/artifacts/';
const digestsMax = 500;
const listMax = 1_000;
const triesMax = 8;
/** As long as what was put stays without a reference. */
const keptMs = 24 * 3_600_000;

export function planeArtifacts({ store, clock }: Pick<Engine, 'store' | 'clock'>): PlaneArtifacts {
  const forgetOld = async (): Promise<void> => {
    for (const { name, value } of await store.facts(prefix, listMax)) {
      if (allowedIn(value).until <= clock.now()) await store.swapFact(name, value, null);
    }
  };
  return {
    allow: async (execution, digest) => {
      for (let tries = 0; tries < triesMax; tries += 1) {
        const kept = await store.fact(`${prefix}${execution}`);
        if (kept === null) await forgetOld();
        const { digests } = allowedIn(kept);
        if (digests.includes(digest)) return;
        const until = (clock.now() + keptMs) as Instant;
        const next = { until, digests: [...digests, digest].slice(-digestsMax) };
        if (await store.swapFact(`${prefix}${execution}`, kept, JSON.stringify(next))) return;
      }
      const what = `what ${execution} may read changed ${triesMax} times in a row`;
      throw new TransientError('store.busy', what);
    },
    mayRead: async ({ run, execution }, digest) =>
      (await store.refers(run, digest)) ||
      allowedIn(await store.fact(`${prefix}${execution}`)).digests.includes(digest),
  };
}

function allowedIn(kept: string | null) {
  const { until, digests } = fieldsOf(kept === null ? null : parsedJson(kept));
  return {
    until: typeof until === 'number' ? until : 0,
    digests: listOf(digests).filter((one) => typeof one === 'string'),
  };
}
