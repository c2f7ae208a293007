/** The limit: one row of 1 KB in one transaction, synced. Same SQLite, same settings as pawl's. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { loadPawl } from '../pawl.mjs';

const { openConnection, sqliteBinding } = await loadPawl();
const body = 'x'.repeat(1000);
const insert = { text: 'insert into steps(run, seq, body) values ($1, $2, $3)' };
const last = { text: 'select seq, body from steps where run = $1 order by seq desc limit 1' };

export async function open(directory) {
  const file = join(directory, 'insert.db');
  const binding = sqliteBinding();
  const connection = openConnection(binding, file);
  connection.exec('pragma journal_mode = wal; pragma synchronous = full');
  connection.exec(`create table if not exists steps(
    id integer primary key, run text not null, seq integer not null, body text not null,
    unique(run, seq))`);
  let pinned = null;
  return {
    begin: async (run) => run,
    step: async (run, n) => connection.run(insert, run, n, body),
    reenter: async (run) => connection.get(last, run),
    pin: async () => {
      pinned = openConnection(binding, file);
      pinned.exec('begin; select * from steps');
    },
    sizes: async () => ({
      stored: Number(connection.pragma('page_count')) * 4096,
      log: pinned === null ? 0 : statSync(`${file}-wal`).size,
    }),
  };
}
