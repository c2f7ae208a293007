/**
 * The first creation of a store. Many programs may start at once on a machine without one: the file
 * is made whole beside its place, under a lock, and renamed, so nobody ever sees half a store.
 *
 * The lock is an exclusive transaction on an empty database file: the system lets go of it when its
 * holder dies, so there is no stale lock and no pid to compare (L-K5, L-K9).
 */
import { existsSync, renameSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { invariant } from '../../kernel/invariant.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Binding } from './binding.ts';
import { wholeStore } from './migrate.ts';
import { patiently } from './patience.ts';
import { storeError } from './sqlite-error.ts';

/** Makes the file if it is not there. @throws TransientError when others hold the lock for 10 s. */
export async function createOnce(binding: Binding, file: string, clock: Clock): Promise<void> {
  if (existsSync(file)) return;
  const lock = binding.open(join(dirname(file), 'creating.lock'));
  try {
    lock.exec('pragma busy_timeout = 50');
    await patiently(clock, () => lock.exec('begin exclusive'));
    if (!existsSync(file)) await create(binding, file);
  } finally {
    lock.close();
  }
}

async function create(binding: Binding, file: string): Promise<void> {
  const unborn = `${file}.new`;
  // What a creator that was killed has left; nobody else is here.
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(unborn + suffix, { force: true });
  try {
    const database = binding.open(unborn);
    try {
      database.exec(`pragma journal_mode = wal; pragma synchronous = full; ${wholeStore()}`);
    } finally {
      database.close();
    }
  } catch (error: unknown) {
    throw storeError(error);
  }
  invariant(!existsSync(`${unborn}-wal`), 'a closed store has no log left beside it');
  await sync(unborn);
  putAside(`${file}-wal`);
  putAside(`${file}-shm`);
  renameSync(unborn, file);
  await sync(dirname(file));
}

/** A log without its store would be taken for the log of the new one and destroy it. */
function putAside(path: string): void {
  if (existsSync(path)) renameSync(path, `${path}.orphaned`);
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
