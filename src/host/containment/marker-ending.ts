/**
 * The rung below the kernel's: the environment marker, the tree as it was seen, and a census of
 * orphans, clean in two passes. It cannot end what it does not find; it says what it could not
 * exclude.
 */
import { readFileSync } from 'node:fs';
import type { ContainmentRecord, Proof } from '../../ports/processes.ts';
import { livesStill } from '../process-table.ts';
import { kill } from './killing.ts';
import { census, markedBy } from './machine-scan.ts';
import { parseSeen } from './seen-tree.ts';
import { until } from './waiting.ts';

const sweepMsMax = 5_000;
const betweenPassesMs = 200;
/**
 * More new processes than this between two passes could be a program that forks for ever and is
 * listed by no sweep (a hopper was found in 0 of 20). A busy machine costs a new tree, no more.
 */
const forksBetweenPassesMax = 100;

export async function endMarked(record: ContainmentRecord): Promise<Proof> {
  const seen = seenOf(record);
  await until(() => sweepOnce(record.execution, seen), sweepMsMax);
  const first = gapsNow(record, seen);
  const before = newestPid();
  await new Promise((resolve) => setTimeout(resolve, betweenPassesMs));
  const forks = newestPid() - before;
  const gaps = [...new Set([...first, ...gapsNow(record, seen)])];
  if (forks < 0 || forks > forksBetweenPassesMax) {
    gaps.push(`${forks} processes started between the two passes`);
  }
  const strength = gaps.length === 0 ? 'marker+tree' : 'unproven';
  return { strength, rung: 'marker', gaps: gaps.slice(0, 20) };
}

/**
 * For a tree of which no record was written: its gate never opened, so no agent ran and nobody can
 * have escaped. What may be left is a wrapper on its way out, and that carries the marker.
 */
export async function endUnstarted(execution: string): Promise<Proof> {
  const gone = await until(() => sweepOnce(execution, []), sweepMsMax);
  const gaps = markedBy(execution).map((stat) => `pid ${stat.pid} carries the marker`);
  return { strength: gone ? 'marker+tree' : 'unproven', rung: 'gate', gaps };
}

interface Seen {
  readonly pid: number;
  readonly started: number;
}

/** True when nothing that carries the marker or was seen in the tree lives any more. */
function sweepOnce(execution: string, seen: readonly Seen[]): boolean {
  const left = [
    ...markedBy(execution).map((stat) => stat.pid),
    ...seen.filter((one) => livesStill(one.pid, one.started)).map((one) => one.pid),
  ];
  for (const pid of left) kill(pid);
  return left.length === 0;
}

function gapsNow(record: ContainmentRecord, seen: readonly Seen[]): readonly string[] {
  const { orphans, unreadable } = census(record.startedTicks, record.uid);
  const alive = seen.filter((one) => livesStill(one.pid, one.started));
  return [
    ...markedBy(record.execution).map((stat) => `pid ${stat.pid} carries the marker`),
    ...alive.map((one) => `pid ${one.pid} was seen in the tree`),
    ...orphans.map((pid) => `pid ${pid} is an orphan younger than the tree`),
    ...unreadable.map((pid) => `pid ${pid} may not be looked at`),
  ];
}

/** The pid given last, from the fifth field of /proc/loadavg. */
function newestPid(): number {
  return Number(readFileSync('/proc/loadavg', 'utf8').trim().split(' ')[4]);
}

function seenOf(record: ContainmentRecord): readonly Seen[] {
  const path = record.seen ?? null;
  if (path === null) return [];
  try {
    return parseSeen(readFileSync(path, 'utf8'));
  } catch {
    // Never written: the host died before the first snapshot; the marker and the census remain.
    return [];
  }
}
