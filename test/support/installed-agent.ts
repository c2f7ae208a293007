/** A known agent that is there and logged in, as far as anybody looks who does not start it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Pawl } from './pawl.ts';

/** The first that a page advises. */
export const installedName = 'codex';

/** The folder is a `PATH`'s to name. */
export function installAgent({ root }: Pick<Pawl, 'root'>, folder: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, installedName), '#!/bin/sh\nexit 9\n', { mode: 0o755 });
  mkdirSync(join(root, 'user/.codex'));
  writeFileSync(join(root, 'user/.codex/auth.json'), '{}');
}
