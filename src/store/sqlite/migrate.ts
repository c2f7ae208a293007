/** Brings a store to the format of this program; forward only, each step in one transaction. */
import { WorldError } from '../../kernel/errors.ts';
import { storeFormat } from '../chain.ts';
import { type Migration, migrationDigest, migrationKey } from '../migration.ts';
import type { Connection } from './connection.ts';
import { spine } from './migrations/0001-spine.ts';
import { artifacts } from './migrations/0002-artifacts.ts';

/** Written into the file, so that no other program's database is taken for a store: "pawl". */
const applicationId = 0x7061776c;

/** Each raises the format by one, from 1. */
export const migrations: readonly Migration[] = [
  { name: '0001-spine', sql: spine },
  { name: '0002-artifacts', sql: artifacts },
];

/** @throws WorldError `store_newer` for a store that a later program has migrated. */
export function checkFormat(connection: Connection, known = storeFormat): 'current' | 'older' {
  const format = formatOf(connection);
  if (format > known) {
    const what = `the store has format ${format}, this pawl knows ${known}`;
    throw new WorldError('store_newer', what);
  }
  return format === known ? 'current' : 'older';
}

export const formatOf = (connection: Connection): number =>
  Number(connection.pragma('user_version'));

/** @throws WorldError `store_unusable` when the file is another program's. */
export function checkOwner(connection: Connection, file: string): void {
  if (Number(connection.pragma('application_id')) !== applicationId) {
    throw new WorldError('store_unusable', `${file} is no store of pawl`);
  }
}

/** The whole of a new store, for a file that nobody else has; prepares no statement. */
export const wholeStore = (): string => `begin; ${stepsFrom(0, migrations)} commit;`;

/**
 * Reads the format after it holds the lock, so many who start at once migrate once (D-56, D-59).
 * Answers which format it had. `steps` are others in tests alone.
 */
export function migrate(connection: Connection, steps = migrations): number {
  connection.exec('begin immediate');
  try {
    const before = formatOf(connection);
    if (checkFormat(connection, steps.length) === 'older')
      connection.exec(stepsFrom(before, steps));
    connection.exec('commit');
    return before;
  } catch (error: unknown) {
    connection.exec('rollback');
    throw error;
  }
}

function stepsFrom(format: number, steps: readonly Migration[]): string {
  const texts = steps.slice(format).map((step) => {
    const [key, digest] = [migrationKey(step.name), migrationDigest(step)];
    return `${step.sql} insert into meta(key, value) values ('${key}', '${digest}');`;
  });
  return `${texts.join('\n')}
pragma application_id = ${applicationId};
pragma user_version = ${steps.length};`;
}
