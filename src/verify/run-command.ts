/**
 * Runs one shell command of a check: contained, without stdin, under a deadline that ends the whole
 * process tree (L-D15), its output bounded and kept as an artifact. What the command does is data;
 * it throws only when the machine cannot run commands at all.
 */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Digest } from '../domain/ids.ts';
import type { CancelSignal } from '../kernel/cancel-signal.ts';
import type { Artifacts } from '../ports/artifacts.ts';
import type { Clock } from '../ports/clock.ts';
import type { ContainedProcess, Processes, Proof } from '../ports/processes.ts';
import { boundedOutput } from './bounded-output.ts';

/** One command that ran to its end, its deadline or a cancel. */
export interface CommandRun {
  readonly command: string;
  readonly ended: 'exit' | 'deadline' | 'cancelled';
  readonly exit: number | null;
  readonly signal: string | null;
  readonly durationMs: number;
  readonly timeoutMs: number;
  /** Head and tail of what it printed, both streams as they came, redacted. */
  readonly text: string;
  readonly output: Digest;
  readonly proof: Proof;
}

export interface CommandSpec {
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Marker of everything in the tree. */
  readonly execution: string;
  readonly signal: CancelSignal;
  readonly secrets: readonly string[];
}

export interface CommandMeans {
  readonly processes: Processes;
  readonly artifacts: Artifacts;
  readonly clock: Clock;
  readonly home: string;
}

/** After the main process is gone the rest of its tree gets this long to end by itself. */
const graceMs = 1_000;

export async function runCommand(means: CommandMeans, spec: CommandSpec): Promise<CommandRun> {
  const output = boundedOutput(spec.secrets);
  const begun = means.clock.monotonicMs();
  const spool = join(means.home, 'checks', 'spool', `${spec.execution}-${process.pid}-${next()}`);
  await mkdir(spool, { recursive: true, mode: 0o700 });
  const child = await means.processes.spawn({
    argv: ['/bin/sh', '-c', spec.command],
    cwd: spec.cwd,
    env: spec.env,
    stdin: null,
    execution: spec.execution,
    spool,
    onStdout: output.stdout,
    onStderr: output.stderr,
  });
  const ended = await firstEnd(means.clock, child, spec);
  const durationMs = Math.round(means.clock.monotonicMs() - begun);
  const proof = await child.end(graceMs);
  const exit = ended === 'exit' ? await child.exited : { exit: null, signal: null };
  // An unproven end keeps its record: a later sweep needs it to end what is left.
  if (proof.strength !== 'unproven') await rm(spool, { recursive: true, force: true });
  const text = output.text();
  return {
    command: spec.command,
    ended,
    ...exit,
    durationMs,
    timeoutMs: spec.timeoutMs,
    text,
    output: await means.artifacts.put(text, 'output'),
    proof,
  };
}

let count = 0;
function next(): number {
  count += 1;
  return count;
}

/** Whichever is first; both waits are taken back, so nothing is left hanging. */
async function firstEnd(
  clock: Clock,
  child: ContainedProcess,
  spec: CommandSpec,
): Promise<CommandRun['ended']> {
  const stop = new AbortController();
  let onAbort = () => {};
  const cancelled = new Promise<'cancelled'>((resolve) => {
    onAbort = () => resolve('cancelled');
    if (spec.signal.aborted) onAbort();
    else spec.signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([
      child.exited.then(() => 'exit' as const),
      clock.sleep(spec.timeoutMs, stop.signal).then(() => 'deadline' as const),
      cancelled,
    ]);
  } finally {
    stop.abort();
    spec.signal.removeEventListener('abort', onAbort);
  }
}
