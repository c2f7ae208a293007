import pg from 'pg';
import { expect, test } from 'vitest';
import { storeError } from './pg-error.ts';

test('who still asks of a pool that was closed hears that nobody answers, which is no bug', async () => {
  const pool = new pg.Pool({ connectionString: 'postgres://127.0.0.1:1/none' });
  await pool.end();
  const refused = await pool.connect().then(
    () => null,
    (error: unknown) => error,
  );
  expect(storeError(refused)).toMatchObject({ retryable: true });
});
