/** What `pawl doctor` is told of this machine and of where the store lies. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nodeClock } from '../host/clock.ts';
import { machineChecks, markedProcesses, privacyCheck } from '../host/health.ts';
import { syncCheck } from '../host/sync-trace.ts';
import { systemWakeLock } from '../host/wake-lock.ts';
import type { Health, HealthCheck } from '../ports/health.ts';
import { mountTypeOf } from '../store/sqlite/place.ts';
import { systemNotifier } from './notify.ts';
import { orNull } from './or-null.ts';
import type { Surroundings } from './surroundings.ts';

export function systemHealth(around: Surroundings): Health {
  return {
    machine: () =>
      machineChecks({
        nodeVersion: process.version,
        env: around.env,
        wakeLock: systemWakeLock({ platform: process.platform, env: around.env }),
        home: around.home,
      }),
    store: async () => [
      await placeCheck(around.home),
      await privacyCheck(around.home),
      await syncCheck({
        probe: (directory, commits) => [
          process.execPath,
          join(around.programs, 'sync-probe.js'),
          directory,
          `${commits}`,
        ],
        home: around.home,
        env: around.env,
      }),
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
