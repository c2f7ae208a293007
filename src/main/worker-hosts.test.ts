/** What a worker says for a host of its own that is gone, and what becomes of the tree it left. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { executed } from '../../test/support/run-fixtures.ts';
import type { JobResult } from '../domain/execution/state.ts';
import type { ExecutionId, GrantId, RunId } from '../domain/ids.ts';
import { quarantinedFor, type TreeRecord, writeRecord } from '../git/records.ts';
import { writeDurably } from '../host/durable-file.ts';
import { writeSeal } from '../host/seal.ts';
import { spoolPath } from '../host/spool.ts';
import type { PlaneAnswer } from '../ports/plane.ts';
import type { HttpPlane } from '../worker/http-plane.ts';
import { spoolDirectory } from './places.ts';
import type { Surroundings } from './surroundings.ts';
import { workerHosts } from './worker-hosts.ts';
import { claimsOf } from './worker-parts.ts';

const home = mkdtempSync(join(tmpdir(), 'pawl-worker-hosts-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));
const around = { home, env: {} } as unknown as Surroundings;
const grantId = 'grant' as GrantId;

/** A host sealed its turn and died before it could hand it in. */
async function sealedAndGone(execution: ExecutionId, isolation: 'worktree' | 'none') {
  const tree = join(home, 'worktrees', execution);
  const spool = spoolPath(spoolDirectory(around), execution);
  mkdirSync(spool, { recursive: true });
  mkdirSync(tree, { recursive: true });
  await writeRecord({ version: 1, run: 'run1', directory: tree } as TreeRecord);
  const fact = JSON.stringify({ directory: tree, isolation });
  const result = { ...executed(), commit: null };
  writeSeal(spool, { version: 1, execution, grantId, result, lastSeq: 0, sealedAt: 0 });
  writeDurably(join(spool, 'tree.json'), fact);
  const grant = { binding: { execution, grantId }, token: 't' } as never;
  claimsOf(around).write({
    ...{ version: 1, grant, run: 'run1' as RunId, from: null, root: home, owed: [] },
  });
  return tree;
}

async function settledBy(answer: PlaneAnswer): Promise<readonly unknown[]> {
  const said: unknown[] = [];
  const result = async ({ execution }: { readonly execution: ExecutionId }) => {
    said.push(execution);
    return answer;
  };
  const plane = { hold: () => undefined, result } as unknown as HttpPlane;
  const hosts = workerHosts({ around, worker: 'w', plane: () => plane, log: () => undefined });
  expect(await hosts.settle()).toBe(true);
  return said;
}

test.each([
  ['one.1', 'worktree', { ok: false, reason: 'grant.stale' }, 'one.1'],
  ['two.1', 'worktree', { ok: true }, null],
  ['three.1', 'none', { ok: false, reason: 'grant.stale' }, null],
] as const)(
  'what %s sealed in a %s is handed in once; only a tree of ours whose work was refused is set aside (XP-11)',
  async (name, isolation, answer, aside) => {
    const execution = name as ExecutionId;
    const tree = await sealedAndGone(execution, isolation);
    expect(await settledBy(answer)).toEqual([execution]);
    expect(await quarantinedFor(tree)).toBe(aside);
    expect(await settledBy(answer)).toEqual([]);
  },
);

test('a host that left nothing died, and what it had printed goes with that word', async () => {
  const execution = 'four.1' as ExecutionId;
  const spool = spoolPath(spoolDirectory(around), execution);
  mkdirSync(join(spool, 'journal'), { recursive: true });
  writeFileSync(join(spool, 'journal', '000.ndjson'), '{"seq":1,"text":"half a word"}\n');
  const grant = { binding: { execution, grantId }, token: 't' } as never;
  claimsOf(around).write({
    ...{ version: 1, grant, run: 'run1' as RunId, from: null, root: home, owed: [] },
  });
  const put: string[] = [];
  const said: JobResult[] = [];
  const plane = {
    hold: () => undefined,
    artifacts: () => ({ put: async (bytes: Uint8Array) => put.push(`${Buffer.from(bytes)}`) }),
    result: async ({ result }: { readonly result: JobResult }) => {
      said.push(result);
      return { ok: true };
    },
  } as unknown as HttpPlane;
  const hosts = workerHosts({ around, worker: 'w', plane: () => plane, log: () => undefined });
  expect(await hosts.settle()).toBe(true);
  expect(put).toEqual(['{"seq":1,"text":"half a word"}\n']);
  expect(said).toMatchObject([
    { kind: 'failed', class: 'lane_died', journal: expect.stringMatching(/^sha256:/) },
  ]);
});
