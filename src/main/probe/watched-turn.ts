/** Stands between host, adapter and machine in a turn of a probe, and notes what passes. */
import { signalGroup } from '../../host/containment/killing.ts';
import { markedBy } from '../../host/containment/machine-scan.ts';
import { until } from '../../host/containment/waiting.ts';
import { commandOf, hasProc } from '../../host/process-table.ts';
import type { Adapter, Said, Seed, Talk, TurnEnd } from '../../ports/agent.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ContainedProcess, Processes, ProcessSpec } from '../../ports/processes.ts';
import type { StartedProgram, TurnRequest } from '../../testing/agents/lanes.ts';
import { endlessCommand } from '../../testing/agents/trial.ts';

export interface WatchedTurn {
  readonly processes: Processes;
  readonly adapter: (adapter: Adapter) => Adapter;
  /** The program alone. */
  kill(): void;
  seen(): {
    readonly started: StartedProgram | null;
    readonly end: TurnEnd | null;
    /** Processes of its tool that its end left to us; null: not looked at, or nobody can tell. */
    readonly outlived: number | null;
  };
}

export interface WatchedMeans {
  readonly clock: Clock;
  readonly processes: Processes;
  /** Contains a tree in such a way that what outlives its program is seen. */
  readonly visible: Processes;
}

/** Between the end of a program and that of what it ended with itself. */
const settlingMsMax = 2_000;

export function watchedTurn(
  { clock, processes, visible }: WatchedMeans,
  request: Pick<TurnRequest, 'servers' | 'onSign' | 'interrupt'>,
  execution: string,
): WatchedTurn {
  const host = request.interrupt === undefined ? processes : visible;
  let started: StartedProgram | null = null;
  let end: TurnEnd | null = null;
  let seeds: readonly Seed[] = [];
  let lane: ContainedProcess | null = null;
  let outlived: number | null = null;
  const ending = (real: ContainedProcess, spec: ProcessSpec): ContainedProcess['end'] => {
    return async (graceMs, hurry) => {
      if (request.interrupt !== undefined) outlived = await leftBy(real, spec, graceMs);
      return real.end(graceMs, hurry);
    };
  };
  return {
    kill: () => {
      if (lane !== null) process.kill(lane.pid, 'SIGKILL');
    },
    seen: () => ({ started, end, outlived }),
    adapter: (adapter) => ({
      ...adapter,
      launch(setting) {
        const launch = adapter.launch({ ...setting, servers: request.servers });
        seeds = launch.seeds ?? [];
        const onEnd = (told: TurnEnd) => {
          end = told;
        };
        return { ...launch, talk: heardTalk(launch.talk, request.onSign, onEnd) };
      },
    }),
    processes: {
      ...host,
      async spawn(spec) {
        const onStdout = (bytes: Uint8Array) => {
          request.onSign('bytes');
          spec.onStdout(bytes);
        };
        const real = await host.spawn({ ...spec, onStdout });
        lane = real;
        started = { argv: spec.argv, env: spec.env, seeds };
        return { ...real, end: ending(real, spec) };
      },
    },
  };

  /** The host's own steps, and a look before what is left is forced. */
  async function leftBy(
    { pid, exited }: ContainedProcess,
    { keepsInput }: ProcessSpec,
    graceMs: number,
  ): Promise<number | null> {
    if (!hasProc) return null;
    // One that is spoken with was asked by its protocol; the others know a signal alone.
    if (keepsInput !== true) {
      signalGroup(pid, 'SIGTERM');
      const over = new AbortController();
      await Promise.race([exited, clock.sleep(graceMs, over.signal)]).finally(() => over.abort());
    }
    const left = () => toolsOf(execution).length;
    await until(() => left() === 0, settlingMsMax);
    return left();
  }
}

function heardTalk(talk: Talk, onSign: TurnRequest['onSign'], onEnd: (end: TurnEnd) => void): Talk {
  const heard = (said: Said): Said => {
    for (const event of said.events) onSign(event);
    return said;
  };
  return {
    ...talk,
    begin: () => heard(talk.begin()),
    line: (text) => heard(talk.line(text)),
    end(exit, resultFile) {
      const end = talk.end(exit, resultFile);
      onEnd(end);
      return end;
    },
  };
}

/** Of the tool of the scene; a shell around it ends with it. */
function toolsOf(execution: string): readonly number[] {
  return markedBy(execution)
    .map(({ pid }) => pid)
    .filter((pid) => commandOf(pid) === endlessCommand);
}
