/** The database that is copied into: empty before, and in one transaction. */
import type { Session } from '../postgres/connect.ts';
import { jsonOf } from '../postgres/sql/write-batch.ts';
import { query } from '../query.ts';
import { type PlainRow, refused } from './source.ts';
import { type ColumnKind, type CopiedTable, copiedTables } from './tables.ts';

const types: Readonly<Record<ColumnKind, string>> = {
  int: 'bigint',
  real: 'double precision',
  text: 'text',
  blob: 'text',
};

/** A page is written soon; what lies between two pages is read from a file of this machine. */
const silenceMs = 10 * 60_000;

/** Whoever writes there waits, or hears that the store is busy. */
export const beginCopy = `begin;
set local idle_in_transaction_session_timeout = ${silenceMs};
set local statement_timeout = ${silenceMs};
lock table meta, streams, runs, events, executions, timers, artifact_refs
  in share row exclusive mode`;

const own = "key = 'format' or key like 'migration:%'";
const filled = query<[], { readonly name: string }>(
  copiedTables
    .map(({ name }) => {
      const where = name === 'meta' ? `where not (${own})` : '';
      return `select '${name}' as name where exists (select from ${name} ${where})`;
    })
    .join('\nunion all\n'),
);

/** @throws RequestError `copy_refused` for a database that has anything in it. */
export async function checkEmpty(session: Session): Promise<void> {
  const names = (await session.all(filled)).map(({ name }) => name);
  if (names.length === 0) return;
  throw refused('the database is not empty', {
    found: `rows in ${names.join(', ')}`,
    allowed: 'an empty database, or one that only pawl db migrate has touched',
    next: 'createdb <name>, and name that one in --to',
  });
}

/** Answers how many were written. */
export async function writePage(
  session: Session,
  { name, columns, serial }: CopiedTable,
  rows: readonly PlainRow[],
): Promise<number> {
  const shape = columns.map(([column, kind]) => `${column} ${types[kind]}`).join(', ');
  const values = columns.map(([column, kind]) =>
    kind === 'blob' ? `decode(x.${column}, 'hex')` : `x.${column}`,
  );
  const text = `with written as (
  insert into ${name}(${columns.map(([column]) => column).join(', ')})
  ${serial === null ? '' : 'overriding system value'}
  select ${values.join(', ')} from json_to_recordset($1::json) as x(${shape}) returning 1)
select count(*) as n from written`;
  const insert = query<[rows: string], { readonly n: number }>(text);
  return (await session.all(insert, jsonOf(rows)))[0]?.n ?? 0;
}

/** What is inserted from now on comes after what was copied. */
export async function numberOn(session: Session): Promise<void> {
  for (const { name, serial } of copiedTables) {
    if (serial === null) continue;
    await session.exec(
      `select setval(pg_get_serial_sequence('${name}', '${serial}'), max(${serial}))
      from ${name} having max(${serial}) is not null`,
    );
  }
}
