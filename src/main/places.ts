import { join } from 'node:path';
import type { Surroundings } from './surroundings.ts';

/** One folder per execution: owner, journal, containment record, seal. */
export const spoolDirectory = (around: Pick<Surroundings, 'home'>): string =>
  join(around.home, 'spool');

/** Containment records of checks that run. */
export const checkRecords = (around: Pick<Surroundings, 'home'>): string =>
  join(around.home, 'checks', 'spool');

/** The installation's signing key. */
export const keyDirectory = (around: Pick<Surroundings, 'home'>): string =>
  join(around.home, 'keys');

export const artifactDirectory = (around: Pick<Surroundings, 'home'>): string =>
  join(around.home, 'artifacts');

/** The agents' own homes: configuration, transcripts; a folder a run. */
export const homesDirectory = (around: Pick<Surroundings, 'home'>): string =>
  join(around.home, 'homes');
