/**
 * Connections to one database: a bounded pool whose every wait has an end. The driver is loaded
 * when a database is first asked for, so that nothing else pays for it.
 */
import { hash, randomBytes } from 'node:crypto';
import type pg from 'pg';
import { WorldError } from '../../kernel/errors.ts';
import type { Bound, Query } from '../query.ts';
import { isLost, pgCode } from './pg-error.ts';

/** Statements that are asked without waiting are sent together, and done and answered in order. */
export interface Session {
  all<V extends readonly Bound[], Row>(query: Query<V, Row>, ...values: V): Promise<readonly Row[]>;
  /** Statements without values, in one message; `silentMs` for what may take long. */
  exec(sql: string, silentMs?: number): Promise<void>;
  /** By which the server knows this connection. */
  readonly pid: number;
}

export interface Database {
  /** One connection for as long as `action` takes; one that was lost is not used again. */
  with<T>(action: (session: Session) => Promise<T>): Promise<T>;
  /** A connection of its own, beside the pool, for what listens. */
  apart(): Promise<pg.Client>;
  /** Under which the server lists all connections of this pool. */
  readonly applicationName: string;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  readonly url: string;
  /** Most connections of this process; 8 when not said. */
  readonly connectionsMax?: number;
}

const connectMs = 5_000;
const statementMs = 15_000;
const lockMs = 4_000;
const idleInTransactionMs = 20_000;
/** The server ends a statement first; this is for a server that is not there any more. */
const silentMs = statementMs + 5_000;
const bigint = 20;

/** @throws WorldError `database_unusable` for an address that is none. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const driver = (await import('pg')).default;
  const applicationName = `pawl ${randomBytes(9).toString('base64url')}`;
  const config: pg.ClientConfig = {
    connectionString: checkedUrl(options.url),
    application_name: applicationName,
    connectionTimeoutMillis: connectMs,
    statement_timeout: statementMs,
    lock_timeout: lockMs,
    idle_in_transaction_session_timeout: idleInTransactionMs,
    query_timeout: silentMs,
    keepAlive: true,
    pipeline: true,
    types: {
      getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
        oid === bigint
          ? Number
          : driver.types.getTypeParser(oid, format as 'text')) as typeof driver.types.getTypeParser,
    },
  };
  const pool = new driver.Pool({ ...config, max: options.connectionsMax ?? 8 });
  // A connection that dies while nobody uses it is replaced by the pool; its users are not there.
  pool.on('error', () => {});
  return {
    applicationName,
    with: async (action) => {
      const client = await pool.connect();
      // While it is checked out its trouble reaches whoever waits for a query.
      const ignore = () => {};
      client.on('error', ignore);
      const release = (spoilt: boolean): void => {
        client.removeListener('error', ignore);
        client.release(spoilt);
      };
      try {
        const value = await action(sessionOf(client));
        release(false);
        return value;
      } catch (error: unknown) {
        release(await isSpoilt(client, error));
        throw error;
      }
    },
    apart: async () => {
      const client = new driver.Client(config);
      await client.connect();
      return client;
    },
    close: () => pool.end(),
  };
}

function checkedUrl(url: string): string {
  if (/^postgres(ql)?:\/\/./.test(url)) return url;
  throw new WorldError('database_unusable', 'the address of a database begins with postgres://', {
    allowed: 'postgres://user@host:5432/name',
  });
}

const sessionOf = (client: pg.PoolClient): Session => ({
  pid: (client as unknown as { readonly processID: number }).processID,
  all: async <V extends readonly Bound[], Row>({ text }: Query<V, Row>, ...values: V) => {
    const held = values.map(holdable);
    const { rows } = await client.query({ name: nameOf(text), text, values: held });
    return rows as Row[];
  },
  exec: async (text, silence) => {
    const limit = silence === undefined ? {} : { query_timeout: silence };
    await client.query({ text, ...limit } as pg.QueryConfig);
  },
});

/** No text of PostgreSQL holds a NUL; what a stranger wrote may, and is no bug of ours. */
function holdable(value: Bound): Bound {
  if (typeof value === 'string') return value.replaceAll('\0', '\ufffd');
  return Array.isArray(value) ? (value.map(holdable) as Bound & readonly string[]) : value;
}

/** A connection that has only met an error goes on, outside of any transaction. */
async function isSpoilt(client: pg.PoolClient, error: unknown): Promise<boolean> {
  if (isLost(error) || pgCode(error) === null) return true;
  try {
    await client.query('rollback');
    return false;
  } catch {
    return true;
  }
}

const names = new Map<string, string>();

/** Prepared once on each connection. There are as many as there are statements in the code. */
function nameOf(text: string): string {
  const known = names.get(text);
  if (known !== undefined) return known;
  const name = hash('sha256', text, 'hex').slice(0, 24);
  names.set(text, name);
  return name;
}
