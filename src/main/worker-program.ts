/** `pawl worker`: the daemon of this home, over the plane of one server. */
import { join } from 'node:path';
import { adapterNames } from '../agents/adapters.ts';
import type { WorkerRequest, WorkerTold } from '../cli/composition.ts';
import { slotsDefault } from '../cli/worker.ts';
import { role } from '../contract/plane-words.ts';
import { tryLock } from '../git/lock.ts';
import { nodeClock } from '../host/clock.ts';
import { RequestError } from '../kernel/errors.ts';
import { scriptedLane } from '../kernel/scripted-lane.ts';
import { unusedKeptMs } from '../ports/workspace.ts';
import { workerDaemon } from '../worker/daemon.ts';
import { pruning } from '../worker/pruning.ts';
import { isUnanswered, isUnheard, type MayPass, untilAnswered } from '../worker/until-answered.ts';
import { pathPrograms } from './programs.ts';
import type { Surroundings } from './surroundings.ts';
import { workerHosts } from './worker-hosts.ts';
import {
  enrolWorker,
  needIdentity,
  planeOf,
  renewedIdentity,
  type WorkerIdentity,
  workerHome,
} from './worker-identity.ts';
import { leftHere } from './worker-left.ts';

/** Runs until the signal. @throws RequestError, WorldError: nothing was started. */
export async function workerProgram(
  outer: Surroundings,
  request: WorkerRequest,
  { signal, log }: WorkerTold,
): Promise<void> {
  const around = { ...outer, home: workerHome(outer) };
  const seat = await tryLock(join(around.home, 'daemon.lock'));
  if (seat === null) {
    throw new RequestError('worker_running', 'a worker of this home runs already', {
      where: around.home,
      next: 'PAWL_HOME=<another folder> pawl worker …',
    });
  }
  try {
    const identity = await identityFor(around, request, { signal, log });
    const slots = slotsFor(request, identity);
    const at = [identity.server, ...identity.others].join(', ');
    log(`${identity.worker} at ${at}, ${slots} slots`);
    const { worker } = identity;
    const hosts = workerHosts({ around, worker, plane: () => planeOf(identity), log });
    const [plane, clock] = [planeOf(identity, { signal }), nodeClock()];
    const left = leftHere({ around, worker, hosts });
    const able = await capabilities(around);
    const pruned = pruning({ plane, left, clock, log, keptMs: unusedKeptMs });
    try {
      const { labels } = identity;
      await workerDaemon({ plane, hosts, clock, slots, labels, capabilities: able, log }, signal);
    } finally {
      await pruned.end();
    }
  } finally {
    await seat.release();
  }
}

async function identityFor(
  around: Surroundings,
  { servers, code, name, labels, slots }: WorkerRequest,
  told: WorkerTold,
): Promise<WorkerIdentity> {
  const [server, ...others] = servers;
  if (code === null) {
    const known = needIdentity(around);
    const places = server === undefined ? {} : { server, others };
    const anew = { ...places, ...(labels === null ? {} : { labels }) };
    if (Object.keys(anew).length === 0) return known;
    return answered(told, isUnanswered, () => renewedIdentity(around, known, anew));
  }
  if (server === undefined) {
    throw new RequestError('no_answer', 'a code is good for one server: name it', {
      where: '--server',
    });
  }
  const enrolment = { code, name, labels: labels ?? [], slots: slots ?? slotsDefault };
  const asked = () => enrolWorker(around, [server, ...others], enrolment);
  // A code is good once: what may have been heard is not said again.
  return answered(told, isUnheard, asked);
}

/** A server that starts again, or has not started yet, is waited for. */
const answered = <T>({ log, signal }: WorkerTold, mayPass: MayPass, ask: () => Promise<T>) =>
  untilAnswered({ clock: nodeClock(), log, signal, mayPass }, ask);

/** A worker gives itself no more than what it was enrolled with. */
function slotsFor({ slots }: WorkerRequest, identity: WorkerIdentity): number {
  if (slots === null || slots <= identity.slots) return slots ?? identity.slots;
  throw new RequestError('bad_value', `this worker was enrolled with ${identity.slots} slots`, {
    where: '--slots',
    found: String(slots),
    allowed: `1 to ${identity.slots}, or a new code from: pawl worker enroll (on the server)`,
  });
}

/** What `capabilitiesOf` asks for: every role, git, any command, each agent that is on the PATH. */
async function capabilities(around: Surroundings): Promise<readonly string[]> {
  const programs = pathPrograms(around);
  const found = adapterNames.map(async (name) =>
    (await programs.find(name)) === null ? [] : [`agent:${name}`],
  );
  const roles = role.options.map((one) => `role:${one}`);
  const always = ['git', 'agent:command', `agent:${scriptedLane}`];
  return [...roles, ...always, ...(await Promise.all(found)).flat()];
}
