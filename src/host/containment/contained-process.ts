/** A spawned tree in the hands of its host: streams, exit, and its end. */
import type { ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import type { CancelSignal } from '../../kernel/cancel-signal.ts';
import type { ContainedProcess, ProcessSpec, Proof } from '../../ports/processes.ts';
import { childrenOf } from '../process-table.ts';
import { endTree } from './ending.ts';
import { kill, signalGroup } from './killing.ts';
import type { Rung } from './rung-lines.ts';
import { watchTree } from './seen-tree.ts';
import type { Spawned } from './spawn-contained.ts';

/** How long output may still come after the tree has ended. */
const drainMsMax = 2_000;
/** A program that does not read what it is told is told no more once this much lies unread. */
const inputBytesMax = 64 * 1024 * 1024;

type Exit = Awaited<ContainedProcess['exited']>;

export function containedProcess(spawned: Spawned, spec: ProcessSpec): ContainedProcess {
  const { child, record } = spawned;
  child.stdout?.on('data', spec.onStdout);
  child.stderr?.on('data', spec.onStderr);
  if (spec.stdin !== null) child.stdin?.write(spec.stdin);
  if (spec.keepsInput !== true) child.stdin?.end();
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const exited = exitedOf(spawned);
  const stopWatching =
    record.seen === null || record.seen === undefined ? null : watchTree(record.pid, record.seen);
  let ending: Promise<Proof> | null = null;
  const end = async (graceMs: number, hurry?: CancelSignal): Promise<Proof> => {
    stopWatching?.();
    const isThere = child.exitCode === null && child.signalCode === null;
    if (isThere && hurry?.aborted !== true) {
      askToEnd(spawned);
      await within(exited, graceMs, hurry);
    }
    spawned.control?.destroy();
    const proof = await endTree(record, spec.workTree ?? null);
    await within(closed, drainMsMax);
    release(child);
    return proof;
  };
  return {
    pid: record.pid,
    record,
    exited,
    write(text) {
      const { stdin } = child;
      if (stdin?.writable === true && stdin.writableLength < inputBytesMax) stdin.write(text);
    },
    closeInput() {
      child.stdin?.end();
    },
    end(graceMs, hurry) {
      ending ??= end(graceMs, hurry);
      return ending;
    },
  };
}

/**
 * The signal must reach the agent: `unshare` and the guard ignore SIGTERM, so their group gets it;
 * the monitor of bwrap would end the whole namespace at once, so only what lies below its init
 * does.
 */
function askToEnd({ record }: Spawned): void {
  if (record.rung === 'pidns-bwrap' && record.init !== null) {
    for (const pid of childrenOf(record.init.pid)) kill(pid, 'SIGTERM');
  } else signalGroup(record.pid, 'SIGTERM');
}

async function exitedOf({ child, record, gate }: Spawned): Promise<Exit> {
  const exit = await new Promise<Exit>((resolve) => {
    child.once('exit', (code, signal) => resolve(exitOf(record.rung, code, signal)));
  });
  if (gate === null) return exit;
  await within(gate.closed, drainMsMax);
  return gate.saidEnd() || exit.signal !== null ? exit : { exit: null, signal: 'SIGKILL' };
}

/**
 * Where a shell, bwrap or the guard stands between, a death by signal n arrives as exit 128 + n; a
 * program that exits so by itself means the same by it.
 */
function exitOf(rung: Rung, code: number | null, signal: NodeJS.Signals | null): Exit {
  if (signal !== null) return { exit: null, signal };
  const direct = rung === 'marker' || rung === 'none';
  const name = direct || code === null || code <= 128 ? null : signalName(code - 128);
  return name === null ? { exit: code, signal: null } : { exit: null, signal: name };
}

function signalName(number: number): string | null {
  return Object.entries(constants.signals).find(([, value]) => value === number)?.[0] ?? null;
}

/** Resolves when the promise does, after `ms`, or by the signal; the promise must not reject. */
async function within(promise: Promise<unknown>, ms: number, hurry?: CancelSignal): Promise<void> {
  let over = (): void => {};
  const late = new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    const hurried = () => resolve();
    over = () => {
      clearTimeout(timer);
      hurry?.removeEventListener('abort', hurried);
    };
    hurry?.addEventListener('abort', hurried);
  });
  await Promise.race([promise, late]);
  over();
}

/** What a process outside the tree still holds open is no longer listened to. */
function release(child: ChildProcess): void {
  child.stdin?.destroy();
  child.stdout?.destroy();
  child.stderr?.destroy();
}
