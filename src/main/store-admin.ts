/** Care of the store of this machine, or of the database that is named. */
import { hostname } from 'node:os';
import { nodeClock } from '../host/clock.ts';
import { holderLives } from '../host/identity.ts';
import type { SeatRow } from '../ports/store.ts';
import type { StoreAdmin } from '../ports/store-admin.ts';
import { migrateFile } from '../store/sqlite/sqlite-store.ts';
import { fileStatus } from '../store/sqlite/status.ts';
import { type Surroundings, withDatabase } from './surroundings.ts';

export function storeAdmin(around: Surroundings, named: string | null): StoreAdmin {
  const { home, database } = withDatabase(around, named);
  const clock = nodeClock();
  return {
    status: async () => {
      const { seats, ...status } =
        database === null ? fileStatus(home) : await statusOfDatabase(database);
      return { ...status, seats: seats.map((seat) => ({ ...seat, lives: lives(seat) })) };
    },
    migrate: async () => {
      if (database === null) return await migrateFile({ directory: home, clock });
      const { migrateDatabase } = await import('../store/postgres/postgres-store.ts');
      return await migrateDatabase({ url: database, clock });
    },
  };
}

async function statusOfDatabase(url: string) {
  const { databaseStatus } = await import('../store/postgres/status.ts');
  return await databaseStatus(url);
}

/** Whether a process of another machine lives is not seen from here. */
const lives = ({ holder }: SeatRow): boolean | null =>
  holder.worker === hostname() ? holderLives(holder) : null;
