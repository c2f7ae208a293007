import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { resolveCredentials } from './credentials.ts';

const directory = mkdtempSync(join(tmpdir(), 'pawl-credentials-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
const here = { machine: 'ada' };
const host = { PATH: process.env['PATH'], KEY: 'from-env', EMPTY: '', PAWL_DATABASE: 'd' };

test('references are resolved from environment, file and command', async () => {
  writeFileSync(join(directory, 'key'), 'from-file\n');
  const values = await resolveCredentials(
    { A: 'env:KEY', B: `file:${join(directory, 'key')}`, C: 'command:printf "from command"' },
    host,
    here,
  );
  expect(values).toEqual({ A: 'from-env', B: 'from-file', C: 'from command' });
});

test.each([
  ['env:NOT_SET', 'env:NOT_SET on ada: NOT_SET is not set'],
  ['env:EMPTY', 'EMPTY is not set'],
  ['env:PAWL_DATABASE', "is pawl's own"],
  ['env:PAWL_OPERATOR_TOKEN', "is pawl's own"],
  ['command:printenv PAWL_DATABASE', 'printenv failed (1)'],
  ['file:/nowhere/at/all', 'file:/nowhere/at/all on ada: /nowhere/at/all: ENOENT'],
  [`file:${tmpdir()}`, 'is not a file'],
  ['command:false --key=private', 'command:false on ada: false failed (1)'],
  ['command:"', 'unclosed_quote'],
  ['command:true', 'gave nothing'],
  ['vault:key', 'no reference on ada: not one of env:, file:, command:'],
  ['key', 'no reference on ada: not one of env:, file:, command:'],
])('%s cannot be had, and the message says why without a value (L-N4)', async (reference, why) => {
  const failure = resolveCredentials({ NAME: reference }, host, here);
  await expect(failure).rejects.toMatchObject({ code: 'credential_missing' });
  await expect(failure).rejects.toMatchObject({
    details: { where: 'secrets.NAME', found: expect.stringContaining(why) },
  });
});

test('a server is named as the one that read it, and a command that takes too long is ended (XP-29)', async () => {
  const place = { machine: 'ada', isServer: true, commandMs: 50 };
  const slow = resolveCredentials({ A: 'command:sleep 600' }, host, place);
  await expect(slow).rejects.toMatchObject({
    details: {
      found: 'command:sleep on the server ada: sleep gave nothing within 0.05 s, and was ended',
    },
  });
  const unset = resolveCredentials({ A: 'env:NOT_SET' }, host, place);
  await expect(unset).rejects.toMatchObject({
    details: { found: expect.stringContaining('start pawl serve where it is') },
  });
});
