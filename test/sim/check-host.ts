/** The check host as the engine meets it: one process with slots that pulls checks by itself. */
import type { JobResult } from '../../src/domain/execution/state.ts';
import type { ExecutionId } from '../../src/domain/ids.ts';
import type { ClaimAnswer, Granted } from '../../src/ports/plane.ts';
import type { Store } from '../../src/ports/store.ts';
import { sealOf } from './bench-of-one.ts';
import { type HostPorts, type HostWorld, judged } from './lane-host.ts';
import { insist } from './plane-calls.ts';
import type { SimProcess } from './process.ts';

const slots = 2;
const pollMs = 5_000;
const idleMs = 300_000;

export interface CheckPorts extends HostPorts {
  readonly store: Pick<Store, 'takeSeat' | 'beatSeat' | 'leaveSeat' | 'seats' | 'dispatchable'>;
}

export async function checkHost(
  world: HostWorld,
  ports: CheckPorts,
  process: SimProcess,
): Promise<void> {
  const { store } = ports;
  const seat = { seat: 'checks', holder: process.holder, version: 'sim' } as const;
  const held = (await store.seats()).find((row) => row.seat === 'checks') ?? null;
  if (held !== null && world.machine.lives(held.holder)) return;
  if (!(await store.takeSeat(seat, held)).ours) return;
  const running = new Set<ExecutionId>();
  const begin = (execution: ExecutionId): void => {
    running.add(execution);
    const done = () => running.delete(execution);
    check(world, ports, process, execution).then(done, done);
  };
  let busyAt = process.clock.monotonicMs();
  while (process.clock.monotonicMs() - busyAt < idleMs) {
    if (!(await store.beatSeat(seat))) return;
    for (const execution of await due(ports, process, running)) begin(execution);
    if (running.size > 0) busyAt = process.clock.monotonicMs();
    await process.clock.sleep(pollMs);
  }
  await store.leaveSeat(seat);
}

/** As many rows of its own kind as there are slots. */
async function due(
  { store }: CheckPorts,
  process: SimProcess,
  running: ReadonlySet<ExecutionId>,
): Promise<readonly ExecutionId[]> {
  const rows = await store.dispatchable(process.clock.now(), 64);
  return rows
    .filter(({ role }) => role === 'prepare' || role === 'verify')
    .map(({ id }) => id)
    .filter((id) => !running.has(id))
    .slice(0, slots - running.size);
}

async function check(
  world: HostWorld,
  ports: CheckPorts,
  process: SimProcess,
  execution: ExecutionId,
): Promise<void> {
  const { plane } = ports;
  const nonce = world.random.hex(32);
  const claimed = await insist(process, () =>
    plane.claim({ execution, holder: process.holder, nonce }),
  );
  if (claimed?.ok !== true) return;
  const granted = { execution, grantId: claimed.grantId };
  const { pid } = process.holder;
  const started = await insist(process, () => plane.start({ ...granted, rung: 'sim', pid }));
  if (started?.ok !== true) return;
  if (!(await beatFor(world, ports, process, granted))) return;
  const result = await checked(world, ports, claimed);
  const seal = sealOf(`${execution} ${JSON.stringify(result)}`);
  await insist(process, () => plane.result({ ...granted, seal, result }));
  if (!world.random.chance(world.weather.duplicates)) return;
  await insist(process, () => plane.result({ ...granted, seal, result }));
}

type Claimed = Extract<ClaimAnswer, { readonly ok: true }>;

/** False when the check was cancelled, or is nobody's any more. */
async function beatFor(
  world: HostWorld,
  { plane }: CheckPorts,
  process: SimProcess,
  granted: Granted,
): Promise<boolean> {
  const until = process.clock.monotonicMs() + world.random.between(500, 240_000);
  for (let beat = 1; process.clock.monotonicMs() < until; beat += 1) {
    await process.clock.sleep(Math.min(world.beatMs, until - process.clock.monotonicMs()));
    const answer = await insist(process, () =>
      plane.heartbeat({ ...granted, beat, signals: '{}', usage: null }),
    );
    if (answer?.ok === false) return false;
    if (answer?.ok === true && answer.cancel) {
      await insist(process, () => plane.cancelAck({ ...granted, proof: 'kernel' }));
      return false;
    }
  }
  return true;
}

async function checked(world: HostWorld, ports: CheckPorts, claimed: Claimed): Promise<JobResult> {
  const { dispatch } = claimed;
  if (dispatch.job.role === 'verify') return judged(world, ports, dispatch);
  const { random, skill } = world;
  const isOdd = random.chance(skill.trouble / 3);
  const baseline = isOdd ? random.pick(['green', 'unrunnable', 'skipped'] as const) : 'red';
  const output = await ports.artifacts.put(`baseline of ${dispatch.execution}`, 'output');
  const detail = { outcome: baseline, criteria: [{ output }] };
  return {
    kind: 'prepared',
    baseline,
    setup: baseline === 'unrunnable' ? 'failed' : 'done',
    summary: `the simulated baseline is ${baseline}`,
    receipt: null,
    detail: await ports.artifacts.put(JSON.stringify(detail), 'verdict'),
    outputs: [output],
  };
}
