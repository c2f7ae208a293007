import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { planeServer } from '../../test/support/plane-server.ts';
import { codeDigest } from '../http/plane/worker-handlers.ts';
import { enrolWorker, planeOf, readIdentity, renewedIdentity } from './worker-identity.ts';

const asked = { name: 'box', labels: [], slots: 3 };
const offer = { labels: [], capabilities: ['git'], slots: 3, free: 3, waitMs: 0 };

test('a code that is refused leaves the worker who it was, and able to prove it (XP-12)', async () => {
  const home = mkdtempSync(join(tmpdir(), 'pawl-identity-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const server = await planeServer();
  onTestFinished(() => server.close());
  const expiresAt = (server.here.engine.clock.now() + 60_000) as Parameters<
    typeof server.workers.addCode
  >[0]['expiresAt'];
  await server.workers.addCode({ digest: codeDigest('good'), expiresAt });
  const enrolled = await enrolWorker({ home }, [server.url], { ...asked, code: 'good' });
  expect(readdirSync(home)).toEqual(['identity.json']);
  expect(statSync(join(home, 'identity.json')).mode & 0o777).toBe(0o600);
  const again = enrolWorker({ home }, [server.url], { ...asked, code: 'good' });
  await expect(again).rejects.toThrow('code.invalid');
  const known = readIdentity({ home });
  expect(known).toEqual(enrolled);
  if (known === null) throw new Error('nobody is known');
  expect(await planeOf(known).offer(offer)).toEqual([]);
  writeFileSync(join(home, 'identity.json'), '{"server":"x"}');
  expect(readIdentity({ home })).toBeNull();
});

test('a worker goes on at any server of its store, with the labels of its last start (XP-12)', async () => {
  const home = mkdtempSync(join(tmpdir(), 'pawl-identity-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const [server, stranger] = [await planeServer(), await planeServer()];
  onTestFinished(() => server.close());
  onTestFinished(() => stranger.close());
  const expiresAt = (server.here.engine.clock.now() + 60_000) as Parameters<
    typeof server.workers.addCode
  >[0]['expiresAt'];
  await server.workers.addCode({ digest: codeDigest('good'), expiresAt });
  const labels = ['gpu'];
  const known = await enrolWorker({ home }, [server.url], { ...asked, labels, code: 'good' });
  const other = server.url.replace('127.0.0.1', 'localhost');
  const moved = await renewedIdentity({ home }, known, { server: other });
  expect(moved).toEqual({ ...known, server: other });
  expect(readIdentity({ home })).toEqual(moved);
  const astray = renewedIdentity({ home }, moved, { server: stranger.url });
  await expect(astray).rejects.toMatchObject({ code: 'not_enrolled' });
  expect(readIdentity({ home })).toEqual(moved);
  await renewedIdentity({ home }, moved, { labels: [] });
  expect(readIdentity({ home })?.labels).toEqual([]);
});
