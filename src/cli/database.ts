/** The address of a database as it is typed. */
import { RequestError } from '../kernel/errors.ts';
import type { FlagSpec } from './parse.ts';

/** The password is never shown again. @throws RequestError `bad_value`. */
export function databaseOf(text: string | null, where = '--database'): string | null {
  if (text === null || /^postgres(?:ql)?:\/\/./.test(text)) return text;
  throw new RequestError('bad_value', 'this is no address of a database', {
    where,
    allowed: 'postgres://user@host:5432/name',
  });
}

/** Of the commands that are about one store. */
export const databaseFlag: FlagSpec = {
  name: 'database',
  kind: 'value',
  value: 'url',
  says: 'this PostgreSQL in place of the file of this machine (PAWL_DATABASE)',
};
