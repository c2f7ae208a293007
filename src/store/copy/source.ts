/** The file that is copied: held still, found idle and whole, and read in pages. */
import { RequestError } from '../../kernel/errors.ts';
import type { AuditReport, SeatRow } from '../../ports/store.ts';
import { toHex } from '../bytes.ts';
import { migrationKey } from '../migration.ts';
import { query, type SqlValue } from '../query.ts';
import { seatRow } from '../rows.ts';
import { seatRows } from '../sql/seats.ts';
import type { Connection } from '../sqlite/connection.ts';
import type { CopiedTable } from './tables.ts';

/** What a page is made of: blobs in hex, as JSON can carry them. */
export type PlainRow = Readonly<Record<string, string | number | null>>;

const rowsAtOnce = 200;
const namedMax = 5;

const atWork = query<[limit: number], { readonly id: string; readonly status: string }>(
  `select id, status from runs where status in ('active', 'cancelling')
union
select r.id, r.status from executions e join runs r on r.seq = e.run
where e.status not in ('SUCCEEDED', 'FAILED', 'CANCELLED', 'EXHAUSTED')
order by 1 limit $1`,
);

/** @throws RequestError `copy_refused` where anybody works on it, or its chains are broken. */
export function checkSource(
  source: Connection,
  audit: AuditReport,
  lives: (seat: SeatRow) => boolean,
): void {
  const [seat] = source.all(seatRows).map(seatRow).filter(lives);
  if (seat !== undefined) {
    const { holder } = seat;
    throw refused(`the store is in use: ${seat.seat} pid ${holder.pid} on ${holder.worker}`, {
      next: 'pawl serve --drain, or pawl service stop; one that nothing started leaves by itself',
    });
  }
  const runs = source.all(atWork, namedMax + 1);
  if (runs.length > 0) {
    const named = runs.slice(0, namedMax).map(({ id, status }) => `${id} (${status})`);
    throw refused('runs are at work', {
      found: `${named.join(', ')}${runs.length > namedMax ? ', …' : ''}`,
      next: 'pawl pause <run>, and pawl resume <run> where they are then   ·   pawl wait <run>',
    });
  }
  if (audit.problems.length > 0) {
    const [first] = audit.problems;
    throw refused(`the chains of the store have ${audit.problems.length} problems`, {
      found: `${first?.stream} version ${first?.version}: ${first?.what}`,
      next: 'pawl audit verify',
    });
  }
}

type Details = ConstructorParameters<typeof RequestError>[2];

export const refused = (what: string, details: Details = {}): RequestError =>
  new RequestError('copy_refused', what, { so: 'nothing was copied', ...details });

type Paged = Record<string, SqlValue>;

/** Every row of a table, in pages by its key. */
export function* pagesOf(source: Connection, table: CopiedTable): Iterable<readonly PlainRow[]> {
  const { key, columns } = table;
  const names = columns.map(([name]) => name).join(', ');
  const keys = key.map((name, index) => `${name} as key_${index}`).join(', ');
  const after = key.map((_, index) => `$${index + 2}`).join(', ');
  const text = (where: string): string =>
    `select ${keys}, ${names} from ${table.name} ${where} order by ${key.join(', ')} limit $1`;
  const [first, next] = [text(''), text(`where (${key.join(', ')}) > (${after})`)];
  let last: readonly SqlValue[] = [];
  for (;;) {
    const rows: readonly Paged[] = source.all(
      query<readonly SqlValue[], Paged>(last.length === 0 ? first : next),
      rowsAtOnce,
      ...last,
    );
    const end = rows.at(-1);
    if (end === undefined) return;
    const plain = rows.map((row) => plainRow(table, row)).filter((row) => isCopied(table, row));
    if (plain.length > 0) yield plain;
    if (rows.length < rowsAtOnce) return;
    last = key.map((_, index) => end[`key_${index}`] ?? null);
  }
}

const plainRow = ({ columns }: CopiedTable, row: Paged): PlainRow =>
  Object.fromEntries(
    columns.map(([name]) => {
      const value = row[name] ?? null;
      return [name, value instanceof Uint8Array ? toHex(value) : value];
    }),
  );

/** The database has its own steps of its format. */
const isCopied = ({ name }: CopiedTable, row: PlainRow): boolean =>
  name !== 'meta' || !String(row['key']).startsWith(migrationKey(''));

export function countRows(source: Connection, { name }: CopiedTable): number {
  return source.get(query<[], { readonly n: number }>(`select count(*) as n from ${name}`))?.n ?? 0;
}
