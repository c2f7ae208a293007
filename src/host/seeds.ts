/** Puts an adapter's files into the agent's own home, before the agent starts. */
import { mkdirSync } from 'node:fs';
import { dirname, isAbsolute, join, normalize } from 'node:path';
import { invariant } from '../kernel/invariant.ts';
import type { Seed } from '../ports/agent.ts';
import { writeDurably } from './durable-file.ts';

/**
 * A seed replaces what is there under its name, for the owner alone to read; what the agent keeps
 * beside it stays.
 */
export function plantSeeds(home: string, seeds: readonly Seed[]): void {
  for (const { path, text } of seeds) {
    const inside = normalize(path);
    invariant(!isAbsolute(inside) && !inside.startsWith('..'), `a seed lies in the home: ${path}`);
    const place = join(home, inside);
    mkdirSync(dirname(place), { recursive: true, mode: 0o700 });
    writeDurably(place, text);
  }
}
