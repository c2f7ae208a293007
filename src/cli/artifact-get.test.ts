import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { typed } from '../../test/support/scripted-cli.ts';
import { scriptedClient } from '../../test/support/scripted-client.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-get-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const digestOf = (bytes: Uint8Array) =>
  `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
const binary = Buffer.from([0, 255, 254, 1]);
const holding = (bytes: Uint8Array | null) => ({
  client: { ...scriptedClient([]), artifact: async () => bytes },
});
const get = (bytes: Uint8Array | null, ...more: readonly string[]) =>
  typed(['artifact', 'get', ...more], holding(bytes));

test('the bytes come as they are, into a file that was not there (XP-16)', async () => {
  const file = join(folder, 'archive');
  const line = [digestOf(binary), '--out', file, '--json'];
  const { exit, out } = await get(binary, ...line);
  expect(exit).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ schema: 'pawl.artifact/1', bytes: 4, file });
  expect(readFileSync(file)).toEqual(binary);
  const again = await get(Buffer.from('other'), digestOf(Buffer.from('other')), '--out', file);
  expect([again.exit, again.err]).toEqual([2, expect.stringContaining('is there already')]);
  expect(readFileSync(file)).toEqual(binary);
  expect(readdirSync(folder)).toEqual(['archive']);
});

test('text goes to stdout byte by byte, and nothing else does', async () => {
  const text = Buffer.from('{"a":1}\nä\n');
  expect((await get(text, digestOf(text))).out).toBe('{"a":1}\nä\n');
  const refused = await get(binary, digestOf(binary));
  expect([refused.exit, refused.out]).toEqual([2, '']);
});

test('what is not there, is no digest, or is something else is told, and nothing is written', async () => {
  const out = ['--out', join(folder, 'x')];
  const missing = await get(null, digestOf(binary), ...out);
  expect([missing.exit, missing.err]).toEqual([1, expect.stringContaining('artifact_missing')]);
  const other = await get(Buffer.from('else'), digestOf(binary), ...out);
  expect([other.exit, other.err]).toEqual([1, expect.stringContaining('artifact_damaged')]);
  expect((await get(binary, 'sha256:12', ...out)).exit).toBe(2);
  expect((await get(binary, digestOf(binary), '--out', join(folder, 'no/x'))).exit).toBe(2);
  expect(readdirSync(folder)).toEqual([]);
});
