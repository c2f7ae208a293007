/** Goal: whoever lacks the key of a receipt is told that, and is not told that it was forged. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { sealEnvelope } from '../verify/receipt/dsse.ts';
import { diskSigner, memorySigner } from '../verify/signer.ts';
import { checkReceipt } from './check-receipt.ts';
import { keyDirectory } from './places.ts';
import { surroundings } from './surroundings.ts';
import { workerRegistry } from './worker-registry.ts';

const type = 'application/vnd.in-toto+json';

function machine() {
  const home = mkdtempSync(join(tmpdir(), 'pawl-verify-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return { ...surroundings(import.meta.url), home, database: null };
}

test('a receipt of a key that is not known here is not called changed', async () => {
  const around = machine();
  const receipt = JSON.stringify(sealEnvelope(type, '{}', memorySigner()));
  const request = { receipt, key: null, repository: null, rerun: false };
  const unknown = await checkReceipt(around, request);
  expect(unknown).toMatchObject({ ok: false, checks: [{ state: 'skipped' }, { name: 'next' }] });
  expect(unknown.checks[0]?.detail).toMatch(/its key sha256:\w+ is not known here/);
  const given = await checkReceipt(around, { ...request, key: memorySigner().publicKeyPem });
  expect(given.checks).toMatchObject([{ name: 'signature', state: 'fail' }]);
  expect(given.checks[0]?.detail).toMatch(/^by sha256:\w+, and not by sha256:\w+$/);
});

test('a receipt of the key of this machine that was changed is refused as that', async () => {
  const around = machine();
  const own = diskSigner({ directory: keyDirectory(around) });
  const changed = { ...sealEnvelope(type, '{}', own), payload: 'e30K' };
  const request = { receipt: JSON.stringify(changed), key: null, repository: null, rerun: false };
  const report = await checkReceipt(around, request);
  expect(report).toMatchObject({ ok: false, checks: [{ name: 'signature', state: 'fail' }] });
  expect(report.checks[0]?.detail).toContain('changed since');
});

test('who only asks makes no store', async () => {
  const around = machine();
  const registry = workerRegistry(around);
  expect(await registry.list()).toEqual([]);
  expect(await registry.revoke('w-none')).toBe(false);
  expect(existsSync(join(around.home, 'store.db'))).toBe(false);
});

test('the receipt of what pawl did to pawl proves itself, and no other of its words (RR-48)', async () => {
  const around = machine();
  const at = join(import.meta.dirname, '../../docs/self-hosting');
  const receipt = readFileSync(join(at, 'receipt.json'), 'utf8');
  const key = readFileSync(join(at, 'receipts.pub.pem'), 'utf8');
  const request = { receipt, key, repository: null, rerun: false };
  const proven = await checkReceipt(around, request);
  expect(proven.checks[0]).toMatchObject({ name: 'signature', state: 'ok' });
  expect(proven.ok).toBe(true);
  const { payload, ...envelope } = JSON.parse(receipt) as { readonly payload: string };
  const said = Buffer.from(payload, 'base64').toString();
  expect(said).toContain('"e1dc25ed2f0e584e3b62a2edbb31f6d3ece4c838"');
  const other = Buffer.from(said.replaceAll('e1dc25e', 'e1dc25f')).toString('base64');
  expect(other).not.toBe(payload);
  const forged = JSON.stringify({ ...envelope, payload: other });
  expect(await checkReceipt(around, { ...request, receipt: forged })).toMatchObject({ ok: false });
});
