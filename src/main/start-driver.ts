/** Starting programs of ours so that they outlive whoever starts them. */

import { join } from 'node:path';
import { isDriverSeat } from '../kernel/driver-seats.ts';
import type { Processes } from '../ports/processes.ts';
import type { SeatRow, Store } from '../ports/store.ts';
import type { Surroundings } from './surroundings.ts';

interface StartMeans {
  readonly processes: Processes;
  readonly around: Surroundings;
}

/** Starts a driver in a session of its own, unless one is there to drive. */
export async function startDriver(
  runtime: StartMeans & { readonly store: Pick<Store, 'seats'> },
  drives: (row: SeatRow) => boolean,
): Promise<void> {
  const seats = (await runtime.store.seats()).filter(isDriverSeat);
  if (seats.some(drives)) return;
  await startProgram(runtime, 'driver', []);
}

/** `name` is a file beside this program; its output goes to `$PAWL_HOME/log/<name>.log`. */
export async function startProgram(
  runtime: StartMeans,
  name: 'driver' | 'lane-host' | 'check-host',
  args: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Promise<number> {
  const env = { ...ownEnvironment(runtime.around), ...more };
  return await startProgramWith(runtime, [name, ...args], env);
}

/** With exactly that environment; the first word names the program. */
export async function startProgramWith(
  { around, processes }: StartMeans,
  [name = '', ...args]: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<number> {
  return await processes.spawnDetached({
    argv: [process.execPath, join(around.programs, `${name}.js`), ...args],
    cwd: around.home,
    env,
    log: join(around.home, 'log', `${name}.log`),
  });
}

const withheld = new Set(['PAWL_EXECUTION', 'PAWL_HOME', 'PAWL_OPERATOR_TOKEN']);

/**
 * A process of ours keeps the user's environment (the lane's is built from an allow-list later),
 * but not the marker of a lane (what a host starts is not a part of the lane), nor an operator's
 * token: whoever may read the environment of our processes could lift gates with it.
 */
export function ownEnvironment(around: Pick<Surroundings, 'env' | 'home'>): Record<string, string> {
  const kept: Record<string, string> = { PAWL_HOME: around.home };
  for (const [name, value] of Object.entries(around.env)) {
    if (value === undefined || withheld.has(name)) continue;
    kept[name] = value;
  }
  return kept;
}
