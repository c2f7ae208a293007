/** Stores in folders of their own, and what the tests of the file need around them. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Instant } from '../../src/domain/ids.ts';
import type { Clock } from '../../src/ports/clock.ts';
import { sqliteBinding } from '../../src/store/sqlite/binding.ts';
import { type Connection, openConnection } from '../../src/store/sqlite/connection.ts';

export const wallClock: Clock = {
  now: () => Date.now() as Instant,
  monotonicMs: () => performance.now(),
  sleep: (ms) => pause(ms),
};

export function temporary(): { readonly directory: string; readonly remove: () => void } {
  const directory = mkdtempSync(join(tmpdir(), 'pawl-store-'));
  return { directory, remove: () => rmSync(directory, { recursive: true, force: true }) };
}

/** The file as any other program would open it. */
export async function strangersConnection(directory: string): Promise<Connection> {
  const connection = openConnection(sqliteBinding(), join(directory, 'store.db'));
  connection.exec('pragma busy_timeout = 2000');
  return connection;
}
