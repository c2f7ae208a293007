import { expect, test } from 'vitest';
import { query } from '../query.ts';
import { firstBinding, sqliteBinding } from './binding.ts';
import { openConnection, positional } from './connection.ts';

test('placeholders are counted in the order of the text', () => {
  expect(positional('a = $1 and b = $2')).toEqual({ sql: 'a = ? and b = ?', order: null });
  expect(positional('a = $2 or b = $1 or c = $2')).toEqual({
    sql: 'a = ? or b = ? or c = ?',
    order: [1, 0, 1],
  });
  expect(positional('a = $10 and b = $1').order).toEqual([9, 0]);
});

test('values go where their number says, text, numbers, bytes and null alike', () => {
  const connection = openConnection(sqliteBinding(), ':memory:');
  const row = query<[a: string, b: number, c: Uint8Array, d: null], Record<string, unknown>>(
    'select $4 as d, $1 as a, $3 as c, $2 as b, $1 as again',
  );
  const bytes = new Uint8Array([0, 1, 255]);
  expect({ ...connection.get(row, 'x', 1_790_000_000_000, bytes, null) }).toEqual({
    d: null,
    a: 'x',
    c: bytes,
    b: 1_790_000_000_000,
    again: 'x',
  });
  connection.close();
});

test('the first SQLite that can be loaded is taken; none at all is an error', () => {
  const binding = firstBinding(['node:no-such-module', '@photostructure/sqlite']);
  expect(binding.name).toBe('@photostructure/sqlite');
  expect(() => firstBinding(['node:no-such-module'])).toThrow('no-such-module');
});
