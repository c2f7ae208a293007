import { open } from 'node:fs/promises';
import { join } from 'node:path';

const digestForm = /^sha256:([0-9a-f]{2})([0-9a-f]{62})$/;

export interface Places {
  /** Files that are still being written. */
  readonly incoming: string;
  /** Files that the collector has in hand. */
  readonly leaving: string;
  readonly directory: string;
  /** Null for what is no digest: it may come from anybody, and it becomes a path. */
  file(digest: string): string | null;
}

export function places(directory: string): Places {
  return {
    directory,
    incoming: join(directory, 'incoming'),
    leaving: join(directory, 'leaving'),
    file: (digest) => {
      const [, folder, name] = digestForm.exec(digest) ?? [];
      return folder === undefined || name === undefined ? null : join(directory, folder, name);
    },
  };
}

/** A rename is on the disk only when its folder is. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

export const isMissing = (error: unknown): boolean =>
  error instanceof Error && (error as NodeJS.ErrnoException).code === 'ENOENT';
