/** What a driver, and `pawl doctor`, tell a person with. */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { findProgram } from '../host/containment/program-lookup.ts';
import { resolveCredentials } from '../host/credentials.ts';
import { execute } from '../notify/execute.ts';
import { notifier } from '../notify/notifier.ts';
import type { Clock } from '../ports/clock.ts';
import type { NoticeCursor, Notifier } from '../ports/notifier.ts';
import type { Position, Store } from '../ports/store.ts';
import { orNull } from './or-null.ts';
import type { Runtime } from './runtime.ts';
import type { Surroundings } from './surroundings.ts';

export function systemNotifier(around: Surroundings, clock: Clock): Notifier {
  const { env } = around;
  return notifier({
    clock,
    platform: process.platform,
    env,
    execute,
    finds: (program) => findProgram(program, '/', env['PATH'] ?? '') !== null,
    fraction: Math.random,
    resolve: async (reference) => {
      // Called as it stands in the file: a notice has no other name for its key.
      const named = { [reference]: reference };
      const found = await resolveCredentials(named, env, { machine: hostname() });
      return found[reference] ?? '';
    },
  });
}

/** With a database whoever takes it next goes on where the last one was, on any machine. */
export const noticeCursor = ({ around, store }: Pick<Runtime, 'around' | 'store'>): NoticeCursor =>
  store.isShared ? storeCursor(store) : diskCursor(around);

const form = /^\d{1,20}([.]\d{1,20})?$/;
const fact = 'notify/position';

function storeCursor(store: Pick<Store, 'fact' | 'swapFact'>): NoticeCursor {
  return {
    read: async () => {
      const text = (await store.fact(fact)) ?? '';
      return form.test(text) ? (text as Position) : null;
    },
    // Where two meet the older position costs a look: what was told is known by the runs.
    write: async (position) => {
      await store.swapFact(fact, await store.fact(fact), position);
    },
  };
}

/**
 * A file; one that is not there, or is no position, costs a look at known events (never a notice).
 */
function diskCursor(around: Pick<Surroundings, 'home'>): NoticeCursor {
  const path = join(around.home, 'notify', 'position');
  return {
    read: async () => {
      const text = (await orNull(readFile(path, 'utf8'))) ?? '';
      return form.test(text) ? (text as Position) : null;
    },
    write: async (position) => {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await writeFile(`${path}.new`, position, { mode: 0o600 });
      await rename(`${path}.new`, path);
    },
  };
}
