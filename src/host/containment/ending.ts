/**
 * Ends a tree and says how well its end is proven, per rung (research/containment.md §7). Used by
 * the host that spawned the tree and, from the record alone, by whoever finds its host dead. Every
 * wait has a deadline; what cannot be excluded by then is named, and the strength is `unproven`.
 */
import { existsSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ContainmentRecord, Proof } from '../../ports/processes.ts';
import { bootId } from '../identity.ts';
import { livesStill } from '../process-table.ts';
import { parseGuardRecord } from './guard-source.ts';
import { kill, signalGroup } from './killing.ts';
import { holdersOf } from './machine-scan.ts';
import { endMarked } from './marker-ending.ts';
import { until } from './waiting.ts';

/** A member in uninterruptible sleep keeps a namespace visible; longer than this is unproven. */
const kernelEndMsMax = 10_000;
const guardEndMsMax = 10_000;

/** Kills what is left of the tree and proves it; `workTree` is scanned as the last gate. */
export async function endTree(record: ContainmentRecord, workTree: string | null): Promise<Proof> {
  if (record.bootId !== bootId()) return { strength: 'kernel', rung: 'boot', gaps: [] };
  const proof = await endByRung(record);
  const holders = workTree === null ? [] : holdersOf(workTree);
  if (holders.length === 0) return proof;
  const gaps = holders.slice(0, 20).map((holder) => `has the work tree open: ${holder}`);
  return { strength: 'unproven', rung: proof.rung, gaps: [...proof.gaps, ...gaps] };
}

function endByRung(record: ContainmentRecord): Promise<Proof> {
  switch (record.rung) {
    case 'pidns-unshare':
    case 'pidns-bwrap':
      return endNamespace(record);
    case 'cgroup':
      return endCgroup(record);
    case 'guard':
      return endGuarded(record);
    case 'marker':
      return endMarked(record);
    case 'none':
      return endUncontained(record);
  }
}

/** The namespace's init is gone = the kernel has ended every member, nested namespaces included. */
async function endNamespace(record: ContainmentRecord): Promise<Proof> {
  const { init } = record;
  if (init === null) return endMarked(record);
  const lives = () => livesStill(init.pid, init.started);
  const gone = await until(() => {
    if (lives()) kill(init.pid);
    return !lives();
  }, kernelEndMsMax);
  killRecorded(record);
  return gone ? proven(record) : unproven(record, `pid namespace init ${init.pid} is still there`);
}

async function endCgroup(record: ContainmentRecord): Promise<Proof> {
  const directory = record.cgroup;
  if (directory === null) return endMarked(record);
  const gone = await until(() => {
    if (!isPopulated(directory)) return true;
    writeKill(directory);
    return false;
  }, kernelEndMsMax);
  if (!gone) return unproven(record, `cgroup ${directory} is still populated`);
  removeCgroup(directory);
  return proven(record);
}

/**
 * A guard writes its record after ECHILD. One that is gone without a record proves nothing: then
 * the next rung judges, and is named.
 */
async function endGuarded(record: ContainmentRecord): Promise<Proof> {
  await until(() => hasGuardRecord(record) || !guardLives(record), guardEndMsMax);
  if (hasGuardRecord(record)) return proven(record);
  killRecorded(record);
  return endMarked(record);
}

function hasGuardRecord(record: ContainmentRecord): boolean {
  const path = record.guardRecord;
  if (path === null || !existsSync(path)) return false;
  const said = parseGuardRecord(readFileSync(path, 'utf8'));
  return (
    said !== null &&
    said.execution === record.execution &&
    said.bootId === record.bootId &&
    said.pid === record.pid &&
    said.started === record.pidStarted
  );
}

function guardLives(record: ContainmentRecord): boolean {
  return livesStill(record.pid, record.pidStarted);
}

async function endUncontained(record: ContainmentRecord): Promise<Proof> {
  signalGroup(record.pid, 'SIGKILL');
  return unproven(record, 'this machine offers no way to see the whole tree');
}

function isPopulated(directory: string): boolean {
  try {
    return /^populated 1$/m.test(readFileSync(join(directory, 'cgroup.events'), 'utf8'));
  } catch {
    // The directory can be removed only when nobody is in it.
    return false;
  }
}

function writeKill(directory: string): void {
  try {
    writeFileSync(join(directory, 'cgroup.kill'), '1');
  } catch (error: unknown) {
    if (existsSync(directory)) throw error;
  }
}

function removeCgroup(directory: string): void {
  try {
    rmdirSync(directory);
  } catch {
    // Already removed, or the kernel still counts a dead member: an empty group harms nobody.
  }
}

function killRecorded(record: ContainmentRecord): void {
  if (livesStill(record.pid, record.pidStarted)) kill(record.pid);
}

function proven(record: ContainmentRecord): Proof {
  return { strength: 'kernel', rung: record.rung, gaps: [] };
}

function unproven(record: ContainmentRecord, gap: string): Proof {
  return { strength: 'unproven', rung: record.rung, gaps: [gap] };
}
