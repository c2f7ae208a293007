/** What `pawl doctor` is told of this machine and of where the store lies. */
import { readFile } from 'node:fs/promises';
import { nodeClock } from '../host/clock.ts';
import { findProgram } from '../host/containment/program-lookup.ts';
import { machineChecks, markedProcesses, privacyCheck } from '../host/health.ts';
import type { Health, HealthCheck } from '../ports/health.ts';
import { mountTypeOf } from '../store/sqlite/place.ts';
import { systemNotifier } from './notify.ts';
import { orNull } from './or-null.ts';
import type { Surroundings } from './surroundings.ts';

export function systemHealth(around: Surroundings): Health {
  const path = around.env['PATH'] ?? '';
  return {
    machine: () =>
      machineChecks({
        platform: process.platform,
        nodeVersion: process.version,
        env: around.env,
        finds: (program) => findProgram(program, '/', path) !== null,
        home: around.home,
      }),
    store: async () => [
      await placeCheck(around.home),
      await privacyCheck(around.home),
      // A store that was opened asks for it; that the disk obeys is seen by a trace alone.
      {
        id: 'store.sync',
        state: 'unknown',
        detail: 'sync asked for at every commit, not traced',
        next: null,
      },
    ],
    marked: async () => markedProcesses(),
    notifier: () => systemNotifier(around, nodeClock()),
  };
}

/** A network file system was refused when the store was opened. */
async function placeCheck(home: string): Promise<HealthCheck> {
  const mounts = await orNull(readFile('/proc/self/mountinfo', 'utf8'));
  const type = mounts === null ? null : mountTypeOf(mounts, home);
  return type === null
    ? { id: 'store.place', state: 'unknown', detail: `${home} (file system unknown)`, next: null }
    : { id: 'store.place', state: 'ok', detail: `${home} (${type})`, next: null };
}
