/**
 * Snapshots of a tree by parent pid, for the rung that has nothing better. They catch the
 * background jobs of living shells and nothing that forks twice, so a faster beat would not pay.
 */
import { appendFileSync } from 'node:fs';
import { allProcesses, isLiving, type ProcessStat } from '../process-table.ts';

export interface SeenProcess {
  readonly pid: number;
  readonly started: number;
}

const everyMs = 1_000;
/** Beyond this many the record stops growing; the census still looks. */
const seenMax = 10_000;

/** Records new members as lines `pid start`, until the returned function is called. */
export function watchTree(root: number, path: string): () => void {
  const known = new Set<string>();
  const look = () => {
    const lines = descendants(root, allProcesses())
      .map((stat) => `${stat.pid} ${stat.started}`)
      .filter((line) => !known.has(line));
    if (lines.length === 0 || known.size + lines.length > seenMax) return;
    for (const line of lines) known.add(line);
    appendFileSync(path, `${lines.join('\n')}\n`, { mode: 0o600 });
  };
  look();
  const timer = setInterval(look, everyMs);
  timer.unref();
  return () => {
    clearInterval(timer);
    look();
  };
}

/** Pure. `root` and everything below it that lives. */
export function descendants(root: number, table: readonly ProcessStat[]): readonly ProcessStat[] {
  const inside = new Set([root]);
  const living = table.filter(isLiving);
  for (let grew = true; grew; ) {
    const more = living.filter((stat) => inside.has(stat.parent) && !inside.has(stat.pid));
    for (const stat of more) inside.add(stat.pid);
    grew = more.length > 0;
  }
  return living.filter((stat) => inside.has(stat.pid));
}

/** A line that was cut by a crash is left out. */
export function parseSeen(text: string): readonly SeenProcess[] {
  return text.split('\n').flatMap((line) => {
    const match = /^(\d+) (\d+)$/.exec(line);
    return match === null ? [] : { pid: Number(match[1]), started: Number(match[2]) };
  });
}
