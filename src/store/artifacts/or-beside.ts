import { isTooOld } from '../../kernel/too-old.ts';
import type { ArtifactStore } from '../../ports/artifacts.ts';

/**
 * For whoever works on when a later program has migrated the store, which then takes nothing of
 * him: what he has to leave lies beside it, where the later one finds it ({@link readThrough}).
 */
export function orBeside(
  artifacts: ArtifactStore,
  beside: Pick<ArtifactStore, 'put'>,
): ArtifactStore {
  return {
    ...artifacts,
    put: async (bytes, kind) => {
      try {
        return await artifacts.put(bytes, kind);
      } catch (error: unknown) {
        if (!isTooOld(error)) throw error;
        return beside.put(bytes, kind);
      }
    },
  };
}
