/**
 * Which environment stands in which tree, written beside the trees and never inside one: a check
 * cannot reach the note that says what its tree should look like.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Manifest } from './manifest.ts';

export interface Installed {
  readonly id: string;
  readonly how: 'reflink' | 'hardlink' | 'copy' | 'setup';
  readonly paths: readonly string[];
  /** Null with hard links: there the shelf's own manifest holds. */
  readonly manifest: Manifest | null;
}

export interface InstalledNotes {
  read(directory: string): Installed | null;
  write(directory: string, installed: Installed): void;
  forget(directory: string): void;
}

export function installedNotes(folder: string): InstalledNotes {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = (directory: string) =>
    join(folder, `${createHash('sha256').update(directory).digest('hex')}.json`);
  return {
    read(directory) {
      try {
        const note: Installed = JSON.parse(readFileSync(file(directory), 'utf8'));
        return note;
      } catch (error: unknown) {
        // A note that a kill cut short is as good as none: the paths are brought again.
        if (error instanceof SyntaxError) return null;
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
        throw error;
      }
    },
    write(directory, installed) {
      const aside = `${file(directory)}.${process.pid}`;
      writeFileSync(aside, JSON.stringify(installed), { mode: 0o600 });
      renameSync(aside, file(directory));
    },
    forget(directory) {
      rmSync(file(directory), { force: true });
    },
  };
}
