/** The {@link Lanes} of one simulated driver: what it can see of hosts that it did not start. */
import type { Holder } from '../../src/domain/execution/state.ts';
import type { ExecutionId } from '../../src/domain/ids.ts';
import { TransientError, WorldError } from '../../src/kernel/errors.ts';
import type { LaneSighting, Lanes } from '../../src/ports/lanes.ts';
import type { OpenExecution } from '../../src/ports/store.ts';
import type { Machine } from './machine.ts';
import type { SimProcess } from './process.ts';
import type { Random } from './random.ts';
import type { Weather } from './weather.ts';

export interface LanesWorld {
  readonly machine: Machine;
  readonly random: Random;
  readonly weather: Weather;
  readonly spawnHost: (execution: ExecutionId) => void;
  readonly spawnChecks: () => void;
  /** Planes fly: a gap between looks much longer than this is sleep, not silence. */
  readonly sweepMs: number;
}

interface Look {
  readonly grantId: string;
  readonly beat: number;
  readonly sinceMs: number;
  readonly lastMs: number;
}

export function simLanes(world: LanesWorld, driver: SimProcess): Lanes {
  const { machine } = world;
  const looks = new Map<ExecutionId, Look>();
  return {
    start: async ({ id }) => {
      if (world.random.chance(world.weather.spawnFails)) throw spawnFailure(world.random);
      world.spawnHost(id);
    },
    ensureCheckHost: async (holder, isSilent) => {
      if (isSilent && holder !== null) endHolder(machine, holder);
      if (holder === null || !machine.lives(holder)) world.spawnChecks();
    },
    look: async (open) => {
      const { lease } = open;
      if (lease === null) return { state: 'elsewhere', forMs: 0 };
      if (!machine.lives(lease.holder)) return afterDeath(machine, open);
      return beating(looks, open, { nowMs: driver.clock.monotonicMs(), sweepMs: world.sweepMs });
    },
    sealLeft: async (execution) => {
      const { grantId, seal } = machine.spool(execution);
      return grantId === null || seal === null ? null : { grantId, ...seal };
    },
    end: async (open) => {
      if (open.lease !== null) endHolder(machine, open.lease.holder);
      const strength = machine.endAgents(open.id);
      const gaps = strength === 'unproven' ? ['a process that nobody found'] : [];
      return { strength, rung: 'sim', gaps };
    },
    forget: async (executions) => {
      for (const execution of executions) machine.forgetSpool(execution);
    },
  };
}

function endHolder(machine: Machine, holder: Holder): void {
  machine.processOf(holder)?.kill();
}

function spawnFailure(random: Random): Error {
  return random.chance(0.7)
    ? new TransientError('spawn_failed', 'simulated: try again')
    : new WorldError('spawn_failed', 'simulated: not here');
}

function afterDeath(machine: Machine, open: OpenExecution): LaneSighting {
  const spool = machine.spool(open.id);
  const isCurrent = spool.grantId !== null && spool.grantId === open.lease?.grantId;
  if (isCurrent && spool.seal !== null && spool.grantId !== null) {
    return { state: 'sealed', grantId: spool.grantId, ...spool.seal };
  }
  const detail = 'the simulated host is gone';
  return { state: 'dead', class: 'lane_died', detail, sessionId: null };
}

function beating(
  looks: Map<ExecutionId, Look>,
  open: OpenExecution,
  { nowMs, sweepMs }: { readonly nowMs: number; readonly sweepMs: number },
): LaneSighting {
  const before = looks.get(open.id);
  const grantId = open.lease?.grantId ?? '';
  const isSame = before?.grantId === grantId && before.beat === open.beat;
  const slept = before !== undefined && nowMs - before.lastMs > 4 * sweepMs;
  const sinceMs = before !== undefined && isSame && !slept ? before.sinceMs : nowMs;
  looks.set(open.id, { grantId, beat: open.beat, sinceMs, lastMs: nowMs });
  const forMs = nowMs - sinceMs;
  return forMs > 0 ? { state: 'silent', forMs } : { state: 'alive' };
}
