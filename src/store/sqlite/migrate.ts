/** Brings a store to the format of this program; forward only, each step in one transaction. */
import { hash } from 'node:crypto';
import { WorldError } from '../../kernel/errors.ts';
import { storeFormat } from '../chain.ts';
import type { Connection } from './connection.ts';
import { spine } from './migrations/0001-spine.ts';

/** Written into the file, so that no other program's database is taken for a store: "pawl". */
const applicationId = 0x7061776c;

/** Each raises the format by one, from 1. */
const migrations: readonly { readonly name: string; readonly sql: string }[] = [
  { name: '0001-spine', sql: spine },
];

/** @throws WorldError `store_newer` for a store that a later program has migrated. */
export function checkFormat(connection: Connection): 'current' | 'older' {
  const format = Number(connection.pragma('user_version'));
  if (format > storeFormat) {
    const what = `the store has format ${format}, this pawl knows ${storeFormat}`;
    throw new WorldError('store_newer', what);
  }
  return format === storeFormat ? 'current' : 'older';
}

/** @throws WorldError `store_unusable` when the file is another program's. */
export function checkOwner(connection: Connection, file: string): void {
  if (Number(connection.pragma('application_id')) !== applicationId) {
    throw new WorldError('store_unusable', `${file} is no store of pawl`);
  }
}

/** The whole of a new store, for a file that nobody else has; prepares no statement. */
export const wholeStore = (): string => `begin; ${stepsFrom(0)} commit;`;

/**
 * Reads the format after it holds the lock, so many who start at once migrate once (D-56, D-59).
 */
export function migrate(connection: Connection): void {
  connection.exec('begin immediate');
  try {
    if (checkFormat(connection) === 'older') {
      connection.exec(stepsFrom(Number(connection.pragma('user_version'))));
    }
    connection.exec('commit');
  } catch (error: unknown) {
    connection.exec('rollback');
    throw error;
  }
}

function stepsFrom(format: number): string {
  const steps = migrations.slice(format).map(({ name, sql }) => {
    const digest = hash('sha256', sql, 'hex');
    return `${sql} insert into meta(key, value) values ('migration:${name}', '${digest}');`;
  });
  return `${steps.join('\n')}
pragma application_id = ${applicationId};
pragma user_version = ${storeFormat};`;
}
