/** Puts an adapter's files into the agent's own home, before the agent starts. */
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { dirname, isAbsolute, join, normalize } from 'node:path';
import { invariant } from '../kernel/invariant.ts';
import type { Seed } from '../ports/agent.ts';
import { writeDurably } from './durable-file.ts';

/** A seed replaces what is there under its name; what the agent keeps beside it stays. */
export function plantSeeds(home: string, seeds: readonly Seed[]): void {
  for (const seed of seeds) {
    const path = normalize(seed.path);
    invariant(!isAbsolute(path) && !path.startsWith('..'), `a seed lies in the home: ${seed.path}`);
    const place = join(home, path);
    mkdirSync(dirname(place), { recursive: true, mode: 0o700 });
    if ('text' in seed) {
      writeDurably(place, seed.text);
      chmodSync(place, 0o600);
    } else link(place, seed.target);
  }
}

function link(place: string, target: string): void {
  if (!existsSync(target)) return;
  const there = lstatSync(place, { throwIfNoEntry: false });
  if (there?.isSymbolicLink() === true && readlinkSync(place) === target) return;
  rmSync(place, { recursive: true, force: true });
  symlinkSync(target, place);
}
