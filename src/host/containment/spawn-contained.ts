/**
 * Spawns an agent inside a rung. Order: wrapper up → record in the spool → gate opened → agent
 * runs. Only from the main thread: the death signal of setpriv is bound to the thread that spawned.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { isMainThread } from 'node:worker_threads';
import { TransientError, WorldError } from '../../kernel/errors.ts';
import { invariant } from '../../kernel/invariant.ts';
import type { ContainmentRecord, ProcessSpec } from '../../ports/processes.ts';
import { bootId, startOf } from '../identity.ts';
import { childrenOf, linkOf } from '../process-table.ts';
import { type Offer, ownUid } from './probe.ts';
import { controlFd, endWord, gateFd, type Rung, rungLine } from './rung-lines.ts';

/** Setting up a rung takes milliseconds; this long means that the wrapper hangs. */
const readyMsMax = 20_000;

export interface Spawned {
  readonly child: ChildProcess;
  readonly record: ContainmentRecord;
  /** Closing it makes the guard end its tree; null without a guard. */
  readonly control: Duplex | null;
  /** What the shell behind the gate says; null where it left for the agent. */
  readonly gate: Gate | null;
}

export interface Gate {
  /** By the end of the shell, and of what stands before it. */
  readonly closed: Promise<void>;
  /** That the agent has ended; false: it was not there to say so. */
  readonly saidEnd: () => boolean;
}

export interface SpawnPlan {
  readonly rung: Rung;
  readonly offer: Offer;
  readonly guardPath: string;
}

/** @throws TransientError `containment_failed` when the rung's wrapper did not come up. */
export async function spawnContained(spec: ProcessSpec, plan: SpawnPlan): Promise<Spawned> {
  invariant(isMainThread, 'agents are spawned from the main thread');
  mkdirSync(spec.spool, { recursive: true, mode: 0o700 });
  const places = placesOf(spec, plan);
  const child = startChild(spec, plan, places);
  const gate = child.stdio[gateFd] as Duplex;
  const control = places.guardRecord === null ? null : (child.stdio[controlFd] as Duplex);
  for (const stream of [gate, control, child.stdin]) ignoreBrokenPipe(stream);
  // After the start this tells of a signal that could not be sent; the proof of the end sees that.
  child.on('error', () => {});
  try {
    await isReady(child, gate);
    const record = recordOf(spec, plan, { ...places, pid: child.pid ?? 0 });
    const path = join(spec.spool, `containment-${record.pid}.json`);
    writeFileSync(path, JSON.stringify(record), { mode: 0o600 });
    gate.end('go\n');
    return { child, record, control, gate: plan.rung === 'pidns-unshare' ? heard(gate) : null };
  } catch (error: unknown) {
    // Closed without a line, the gate lets nothing through.
    gate.destroy();
    control?.destroy();
    child.kill('SIGKILL');
    throw error;
  }
}

interface Places {
  readonly cgroup: string | null;
  readonly guardRecord: string | null;
  readonly seen: string | null;
}

function placesOf(spec: ProcessSpec, plan: SpawnPlan): Places {
  const unique = randomBytes(6).toString('hex');
  const guarded = plan.rung === 'guard' || (plan.rung === 'cgroup' && plan.offer.guard);
  const cgroup = plan.rung === 'cgroup' ? makeCgroup(spec, plan.offer, unique) : null;
  return {
    cgroup,
    guardRecord: guarded ? join(spec.spool, `ended-${unique}.json`) : null,
    // What the kernel holds needs no snapshots; a guard may be killed, so its tree is noted too.
    seen: isHeld(plan.rung) ? null : join(spec.spool, `seen-${unique}`),
  };
}

function isHeld(rung: Rung): boolean {
  return rung === 'pidns-unshare' || rung === 'pidns-bwrap' || rung === 'cgroup' || rung === 'none';
}

function makeCgroup(spec: ProcessSpec, offer: Offer, unique: string): string {
  invariant(offer.cgroups !== null, 'the cgroup rung is used where it was offered');
  const directory = join(offer.cgroups, `pawl-${spec.execution}-${unique}`);
  mkdirSync(directory);
  return directory;
}

function startChild(spec: ProcessSpec, plan: SpawnPlan, places: Places): ChildProcess {
  const line = rungLine(
    plan.rung,
    {
      root: ownUid() === 0,
      hostPid: process.pid,
      setpriv: plan.offer.setpriv,
      guard: places.guardRecord === null ? null : plan.guardPath,
      cgroup: places.cgroup,
      guardRecord: places.guardRecord,
      execution: spec.execution,
      bootId: bootId(),
      paths: plan.offer.paths,
    },
    spec.argv,
  );
  const [program = '', ...args] = line;
  const extra = places.guardRecord === null ? (['pipe'] as const) : (['pipe', 'pipe'] as const);
  return spawn(program, args, {
    cwd: spec.cwd,
    env: { ...spec.env },
    // A session and a group of its own, so that a signal to the group never reaches us.
    detached: true,
    stdio: [hasInput(spec) ? 'pipe' : 'ignore', 'pipe', 'pipe', ...extra],
  });
}

const hasInput = ({ stdin, keepsInput }: ProcessSpec) => stdin !== null || keepsInput === true;

function isReady(child: ChildProcess, gate: Duplex): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (error: Error | null) => {
      clearTimeout(timer);
      child.off('error', onError);
      child.off('exit', onExit);
      gate.off('data', onData);
      if (error === null) resolve();
      else reject(error);
    };
    const onError = (cause: Error) =>
      settle(new WorldError('spawn_failed', `cannot start: ${cause.message}`, {}, cause));
    const onExit = (code: number | null) => settle(notUp(`its wrapper exited with ${code}`));
    const onData = () => settle(null);
    const timer = setTimeout(() => settle(notUp('its wrapper did not answer')), readyMsMax);
    child.once('error', onError);
    child.once('exit', onExit);
    gate.once('data', onData);
  });
}

function heard(gate: Duplex): Gate {
  let last = '';
  gate.on('data', (chunk: Buffer) => {
    last = `${last}${chunk}`.trimEnd().slice(-endWord.length);
  });
  const closed = new Promise<void>((resolve) => gate.once('close', () => resolve()));
  return { closed, saidEnd: () => last === endWord };
}

function notUp(why: string): TransientError {
  return new TransientError('containment_failed', `the agent could not be contained: ${why}`);
}

function recordOf(
  spec: ProcessSpec,
  plan: SpawnPlan,
  found: Places & { readonly pid: number },
): ContainmentRecord {
  const started = startOf(found.pid) ?? 0;
  const namespaced = plan.rung === 'pidns-unshare' || plan.rung === 'pidns-bwrap';
  return {
    rung: plan.rung,
    bootId: bootId(),
    uid: ownUid(),
    execution: spec.execution,
    startedTicks: started,
    pid: found.pid,
    pidStarted: started,
    init: namespaced ? initOf(found.pid) : null,
    cgroup: found.cgroup,
    guardRecord: found.guardRecord,
    seen: found.seen,
  };
}

/** The wrapper's only child is pid 1 of the namespace. It is up: the gate behind it has spoken. */
function initOf(pid: number): ContainmentRecord['init'] {
  const [init] = childrenOf(pid);
  if (init === undefined) return null;
  return { pid: init, started: startOf(init) ?? 0, ns: linkOf(`/proc/${init}/ns/pid`) ?? '' };
}

/** An agent may close its input or end before it read all of it; that is its own affair. */
function ignoreBrokenPipe(stream: NodeJS.EventEmitter | null): void {
  stream?.on('error', (error: NodeJS.ErrnoException) => {
    if (!['EPIPE', 'ECONNRESET', 'ERR_STREAM_DESTROYED'].includes(error.code ?? '')) throw error;
  });
}
