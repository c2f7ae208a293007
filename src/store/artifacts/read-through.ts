import type { ArtifactStore } from '../../ports/artifacts.ts';

/**
 * What an older program had put on the disk of this machine is found there still, and is from then
 * on where the others find it too.
 */
export function readThrough(
  artifacts: ArtifactStore,
  before: Pick<ArtifactStore, 'get'>,
): ArtifactStore {
  const carried = async (digest: Parameters<ArtifactStore['get']>[0]) => {
    const bytes = await before.get(digest);
    if (bytes !== null) await artifacts.put(bytes, 'output');
    return bytes;
  };
  return {
    ...artifacts,
    get: async (digest) => (await artifacts.get(digest)) ?? (await carried(digest)),
    parts: async (digest) => {
      const found = await artifacts.parts(digest);
      if (found !== null || (await carried(digest)) === null) return found;
      return artifacts.parts(digest);
    },
  };
}
