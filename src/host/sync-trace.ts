/**
 * Whether commits reach the disk, seen from outside: a probe is run under strace with some commits
 * and with none, and what it asks of the disk is counted. Where nobody can trace, nobody can tell.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { HealthCheck } from '../ports/health.ts';

export interface SyncTrace {
  /** The argv of the probe for a folder and a number of commits. */
  readonly probe: (directory: string, commits: number) => readonly string[];
  /** Where the probe's folder is made: on the disk of the store. */
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const commits = 3;
const probeMs = 30_000;
const id = 'store.sync';

export async function syncCheck(trace: SyncTrace): Promise<HealthCheck> {
  const directory = await mkdtemp(join(trace.home, 'probe-'));
  try {
    const none = await syncsOf(trace, directory, 0);
    const some = await syncsOf(trace, directory, commits);
    return verdict(none === null || some === null ? null : some - none);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** `syncs` beyond those of a probe without commits; null: it could not be traced. */
export function verdict(syncs: number | null): HealthCheck {
  if (syncs === null) {
    const detail = 'sync asked for at every commit, not proven: strace cannot trace here';
    return { id, state: 'unknown', detail, next: null };
  }
  const detail = `${syncs} fsyncs for ${commits} commits`;
  if (syncs >= commits) return { id, state: 'ok', detail: `sync proven: ${detail}`, next: null };
  const next = 'do not trust this disk with runs: a commit may be lost with the power';
  return { id, state: 'fail', detail: `sync refuted: ${detail}`, next };
}

async function syncsOf(trace: SyncTrace, directory: string, n: number): Promise<number | null> {
  const file = join(directory, `${n}.trace`);
  const argv = trace.probe(join(directory, `${n}`), n);
  const what = ['-f', '-o', file, '-e', 'trace=fsync,fdatasync', ...argv];
  if (!(await ran('strace', what, trace.env))) return null;
  const calls = (await readFile(file, 'utf8')).match(/(?:fsync|fdatasync)\(/g);
  return calls?.length ?? 0;
}

function ran(program: string, args: readonly string[], env: SyncTrace['env']): Promise<boolean> {
  const options = { env: { ...env }, timeout: probeMs, killSignal: 'SIGKILL' } as const;
  return new Promise((resolve) => {
    execFile(program, [...args], options, (error) => resolve(error === null));
  });
}
