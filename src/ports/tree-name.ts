/**
 * What a run's tree and branch are called, said in one place: the same for every execution of a
 * run, so the short form here is of fixed length (the one that people type grows when it must be
 * unique).
 */
import type { RunId } from '../domain/ids.ts';

export const treeShort = (run: RunId): string => run.slice(0, 4);

export const workBranch = (name: string, run: RunId): string => `pawl/${name}-${treeShort(run)}`;
