/** Transactions that know their format: of a store of another one nothing is written. */
import { WorldError } from '../../kernel/errors.ts';
import { storeFormat } from '../chain.ts';
import type { Session } from './connect.ts';
import { checkFormat } from './migrate.ts';
import { type Formatted, readFormat } from './sql/writes.ts';

export const ours = String(storeFormat);

/** @throws WorldError `store_newer`; of a store of another format nothing was written. */
export function checked<Row extends Formatted>([row]: readonly Row[]): Row {
  if (row === undefined) throw new WorldError('database_unusable', 'the store has no format');
  checkFormat(Number(row.format));
  return row;
}

/** One transaction that knows its format. */
export async function together<T>(session: Session, action: () => Promise<T>): Promise<T> {
  const [, format] = await Promise.all([session.exec('begin'), session.all(readFormat)]);
  checked(format);
  const value = await action();
  await session.exec('commit');
  return value;
}
