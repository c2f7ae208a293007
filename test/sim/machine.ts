/**
 * The simulated machine: processes with pids that are reused, agents that live on when their host
 * is killed (or die with it, by rung), work trees, spools, a reboot. What a lane writes and where
 * is the witness's business, not the engine's.
 */
import type { Holder, JobResult, ProofStrength } from '../../src/domain/execution/state.ts';
import type { Commit, Digest, ExecutionId, GrantId, RunId } from '../../src/domain/ids.ts';
import { type SimProcess, simProcess } from './process.ts';
import type { Random } from './random.ts';
import type { VirtualTime } from './time.ts';

export type Rung = 'kernel' | 'marker';

export interface Agent {
  readonly execution: ExecutionId;
  readonly tree: string;
  readonly rung: Rung;
  alive: boolean;
  /** It makes no progress since, on the monotonic clock; null: it does. */
  stalledSince: number | null;
  /** It left its own session, closed its files and cleaned its environment: no sweep finds it. */
  readonly escapes: boolean;
}

export interface Spool {
  owner: Holder | null;
  grantId: GrantId | null;
  seal: { readonly seal: Digest; readonly result: JobResult } | null;
}

export interface Machine {
  readonly worker: string;
  spawn(name: string, main: (process: SimProcess) => Promise<unknown>): SimProcess;
  lives(holder: Holder): boolean;
  processOf(holder: Holder): SimProcess | null;
  processes(): readonly SimProcess[];
  spool(execution: ExecutionId): Spool;
  forgetSpool(execution: ExecutionId): void;
  /** The tree of a run: the present one, or a never-used one. */
  tree(run: RunId, which: 'same' | 'new'): string;
  startAgent(execution: ExecutionId, tree: string, host: SimProcess): Agent;
  agents(): readonly Agent[];
  /** Ends the agents of an execution as well as the rung can, and says how well that is proven. */
  endAgents(execution: ExecutionId): ProofStrength;
  commit(work: { readonly good: boolean }): Commit;
  isGood(commit: Commit | null): boolean;
  /** Everything dies; the boot id changes. */
  reboot(): void;
}

export interface MachineOptions {
  readonly time: VirtualTime;
  readonly random: Random;
  readonly rung: Rung;
  /** How often an agent of the weaker rung escapes the sweep. */
  readonly escapes: number;
  readonly crashed: (process: SimProcess, error: unknown) => void;
}

export function machine(options: MachineOptions): Machine {
  const { time, random } = options;
  const processes = new Map<number, SimProcess>();
  const spools = new Map<ExecutionId, Spool>();
  const trees = new Map<RunId, number>();
  const agents: Agent[] = [];
  const commits = new Map<Commit, boolean>();
  let boot = 1;
  let starts = 0;

  const processOf = (holder: Holder): SimProcess | null => {
    const found = processes.get(holder.pid);
    return found?.alive === true && isSame(found.holder, holder) ? found : null;
  };
  const machine: Machine = {
    worker: 'sim',
    lives: (holder) => processOf(holder) !== null,
    processOf,
    processes: () => [...processes.values()].filter(({ alive }) => alive),
    spawn: (name, main) => {
      starts += 1;
      const pid = freePid(processes, random);
      const holder = { worker: 'sim', bootId: `boot-${boot}`, pid, started: starts };
      const process = simProcess(name, holder, time);
      processes.set(pid, process);
      runToEnd(process, main, options.crashed);
      return process;
    },
    spool: (execution) => {
      const spool = spools.get(execution) ?? { owner: null, grantId: null, seal: null };
      spools.set(execution, spool);
      return spool;
    },
    forgetSpool: (execution) => {
      spools.delete(execution);
    },
    tree: (run, which) => {
      const present = trees.get(run) ?? 1;
      const next = which === 'new' ? present + 1 : present;
      trees.set(run, next);
      return `${run}/tree-${next}`;
    },
    startAgent: (execution, tree, host) => {
      const agent = newAgent(options, { execution, tree });
      agents.push(agent);
      host.onDeath(() => {
        if (agent.rung === 'kernel') agent.alive = false;
      });
      return agent;
    },
    agents: () => agents,
    endAgents: (execution) => {
      const mine = agents.filter((agent) => agent.execution === execution);
      for (const agent of mine) if (!agent.escapes) agent.alive = false;
      if (mine.some(({ alive }) => alive)) return 'unproven';
      return options.rung === 'kernel' ? 'kernel' : 'marker+tree';
    },
    commit: ({ good }) => {
      const commit = random.hex(40) as Commit;
      commits.set(commit, good);
      return commit;
    },
    isGood: (commit) => commit !== null && commits.get(commit) === true,
    reboot: () => {
      boot += 1;
      for (const agent of agents) agent.alive = false;
      for (const process of processes.values()) process.kill();
    },
  };
  return machine;
}

/** A process whose main function returns or throws is gone. */
function runToEnd(
  process: SimProcess,
  main: (process: SimProcess) => Promise<unknown>,
  crashed: MachineOptions['crashed'],
): void {
  main(process).then(
    () => process.kill(),
    (error: unknown) => {
      if (process.alive) crashed(process, error);
      process.kill();
    },
  );
}

function newAgent(
  { rung, random, escapes }: MachineOptions,
  at: Pick<Agent, 'execution' | 'tree'>,
): Agent {
  const leaves = rung === 'marker' && random.chance(escapes);
  return { ...at, rung, escapes: leaves, alive: true, stalledSince: null };
}

const isSame = (a: Holder, b: Holder): boolean =>
  a.pid === b.pid && a.started === b.started && a.bootId === b.bootId;

/** From a small range, so that pids are reused as they are on a busy machine. */
function freePid(processes: ReadonlyMap<number, SimProcess>, random: Random): number {
  for (let tries = 0; tries < 1_000; tries += 1) {
    const pid = random.between(100, 400);
    if (processes.get(pid)?.alive !== true) return pid;
  }
  throw new Error('the simulated machine is out of pids');
}
