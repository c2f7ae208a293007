/**
 * Goal: what a host hands in on a worker arrives whole and once, or says why it never can. Method:
 * a scripted server behind the Plane, real files for what is kept.
 */
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { exampleDefinition } from '../../test/support/example-run.ts';
import { executed, failed } from '../../test/support/run-fixtures.ts';
import { WorldError } from '../kernel/errors.ts';
import type { Dispatch } from '../ports/plane.ts';
import type { SourceMirrors } from '../ports/source.ts';
import type { Commit, Digest, ExecutionId, GrantId, JobResult, RunId } from '../ports/words.ts';
import { diskArtifacts } from '../store/artifacts/disk-artifacts.ts';
import type { HttpPlane } from './http-plane.ts';
import { keptClaims } from './kept-claims.ts';
import { workerPlane } from './worker-plane.ts';

const base = 'b'.repeat(40) as Commit;
const tip = 'c'.repeat(40) as Commit;
const execution = 'run1.1' as ExecutionId;
const granted = { execution, grantId: 'g' as GrantId };
const seal = `sha256:${'1'.repeat(64)}` as Digest;
const held = {
  token: 't1',
  binding: {
    ...{ run: 'run1', dispatch: 'run1.1:5', execution: 'run1.1', job: 'execute' as const },
    ...{ attempt: 1, implementation: 'x', fence: 1, grantId: 'g' },
  },
};
const source = {
  ...{ key: 'abcdef0123', name: 'p', commit: base, remote: null, submodules: false },
  bundle: `sha256:${'2'.repeat(64)}`,
};

function bench(
  more: Partial<HttpPlane> = {},
  pack: SourceMirrors['pack'] = async () => ({ ok: true, bundle: Buffer.from('work') }),
) {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-worker-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const told: unknown[] = [];
  const say = (verb: string, what: unknown) => {
    told.push([verb, what]);
    return { ok: true } as const;
  };
  const definition = exampleDefinition();
  const dispatch = {
    ...{ run: 'run1' as RunId, execution, job: { commit: null }, criteria: [] },
    definition: { ...definition, source: { ...definition.source, base } },
  } as unknown as Dispatch;
  const plane = {
    claim: async () => ({ ok: true, grantId: 'g', fence: 1, ttlMs: 30_000, dispatch }),
    held: () => held,
    hold: (grant: unknown) => say('hold', grant),
    source: async ({ have, withoutRemote }: { have: unknown; withoutRemote: boolean }) => {
      say('source', { have, withoutRemote });
      return { ok: true, value: { ok: true, source, why: null } };
    },
    artifacts: () => ({
      put: async (bytes: Uint8Array, kind: string) => {
        say('put', [Buffer.from(bytes).toString(), kind]);
        return `sha256:${'3'.repeat(64)}`;
      },
      get: async () => Buffer.from('bundle of the source'),
    }),
    work: async (message: object) => say('work', { ...message }),
    result: async (message: { result: JobResult }) => say('result', message.result.kind),
    cancelAck: async () => say('cancel-ack', null),
    ...more,
  } as unknown as HttpPlane;
  const kept = keptClaims(join(folder, 'claims'));
  const local = diskArtifacts({ directory: join(folder, 'artifacts') });
  const brought: unknown[] = [];
  const mirrors: SourceMirrors = {
    rootOf: (key) => `/mirrors/${key}.git`,
    known: async () => [],
    bring: async (offer) => {
      brought.push(offer.bundle === null ? null : Buffer.from(offer.bundle).toString());
      if (brought.length === 1 && offer.remote !== null) {
        throw new WorldError('source_unreachable', 'no network');
      }
      return { root: `/mirrors/${offer.key}.git` };
    },
    pack,
  };
  const own = workerPlane({ plane, mirrors, local, kept, monotonicMs: () => 0 });
  const claim = () => own.claim({ execution, holder: {} as never, nonce: 'n' });
  return { own, claim, told, kept, brought, folder, dispatch };
}

test('a dispatch is told where its source will lie, and the claim is kept by its owner alone', async () => {
  const b = bench();
  const answer = await b.claim();
  if (!answer.ok) throw new Error(answer.reason);
  expect(answer.dispatch.definition.project.root).toBe('/mirrors/abcdef0123.git');
  const file = join(b.folder, 'claims', 'run1.1.json');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(b.kept.read(execution)).toMatchObject({ from: base, grant: held, owed: [] });
  await b.own.bring(b.dispatch);
  expect(b.brought).toEqual(['bundle of the source']);
});

test('a remote that is out of reach is not asked for again: all of it comes by the server', async () => {
  const remote = { url: 'https://example.org/a.git', ref: 'refs/heads/main' };
  const asked: boolean[] = [];
  const b = bench({
    source: (async ({ withoutRemote }: { withoutRemote: boolean }) => {
      asked.push(withoutRemote);
      const found = { ...source, remote: withoutRemote ? null : remote };
      return { ok: true, value: { ok: true, source: found, why: null } };
    }) as unknown as HttpPlane['source'],
  });
  await b.claim();
  await b.own.bring(b.dispatch);
  expect(asked).toEqual([false, false, false, true, true]);
  expect(b.brought).toHaveLength(2);
});

test('artifacts go before the work, the work before the result, and then nothing is kept', async () => {
  const b = bench();
  await b.claim();
  await b.own.artifacts.put('what it said', 'note');
  const result = executed({ commit: tip });
  expect(await b.own.result({ ...granted, seal, result })).toEqual({ ok: true });
  expect(b.told.slice(1)).toEqual([
    ['put', ['what it said', 'note']],
    ['put', ['work', 'bundle']],
    ['work', { ...granted, tip, bundle: `sha256:${'3'.repeat(64)}` }],
    ['result', 'executed'],
  ]);
  expect(b.kept.all()).toEqual([]);
});

test('a result whose commits nobody can take in says so as a failed attempt, the same each time', async () => {
  const said: unknown[] = [];
  const result = async (message: object) => {
    said.push(message);
    return { ok: true } as const;
  };
  const pack: SourceMirrors['pack'] = async () => ({
    ...{ ok: false, reason: 'bundle.too_large', detail: '70.0 MB, at most 64.0 MB are carried' },
  });
  const journal = `sha256:${'4'.repeat(64)}` as Digest;
  for (let n = 0; n < 2; n += 1) {
    const b = bench({ result: result as unknown as HttpPlane['result'] }, pack);
    await b.claim();
    await b.own.result({ ...granted, seal, result: executed({ commit: tip, journal }) });
  }
  expect(said[0]).toMatchObject({
    result: { kind: 'failed', class: 'invalid_result', commit: null, journal },
  });
  expect(JSON.stringify(said[0])).toContain('bundle.too_large: 70.0 MB');
  expect(said[1]).toEqual(said[0]);
});

test('a network that fails in the middle leaves what is owed for whoever finds the claim', async () => {
  const work = async () => {
    throw new Error('no answer');
  };
  const b = bench({ work: work as unknown as HttpPlane['work'] });
  await b.claim();
  await b.own.artifacts.put('what it said', 'note');
  const handing = b.own.result({ ...granted, seal, result: executed({ commit: tip }) });
  await expect(handing).rejects.toThrow('no answer');
  expect(b.kept.read(execution)).toMatchObject({ owed: [], from: base });
  const text = readFileSync(join(b.folder, 'claims', 'run1.1.json'), 'utf8');
  expect(text).toContain('"token":"t1"');
  expect(b.own.takeUp(execution)).toBe(true);
  expect(b.own.takeUp('run1.2' as ExecutionId)).toBe(false);
});

test('what made no commit carries none', async () => {
  const b = bench();
  await b.claim();
  await b.own.result({ ...granted, seal, result: failed('lane_died') });
  await b.own.result({ ...granted, seal, result: executed({ commit: base }) });
  expect(b.told.filter((one) => (one as readonly string[])[0] === 'work')).toEqual([]);
});

test('what the server refuses of an artifact is final: the result says so, and nothing is kept', async () => {
  const put = async () => {
    throw new WorldError('plane_refused', 'not taken: message.too_large', {
      found: 'message.too_large',
    });
  };
  const said: unknown[] = [];
  const result = async (message: object) => {
    said.push(message);
    return { ok: false, reason: 'grant.stale' } as const;
  };
  const b = bench({
    artifacts: (() => ({ put })) as unknown as HttpPlane['artifacts'],
    result: result as unknown as HttpPlane['result'],
  });
  await b.claim();
  const journal = await b.own.artifacts.put('what it said', 'journal');
  const answer = await b.own.result({
    ...granted,
    seal,
    result: executed({ commit: tip, journal }),
  });
  expect(answer).toEqual({ ok: false, reason: 'grant.stale' });
  expect(said).toMatchObject([{ result: { kind: 'failed', class: 'invalid_result' } }]);
  expect(JSON.stringify(said)).toContain('message.too_large');
  // What the server does not have is not named.
  expect(JSON.stringify(said)).not.toContain(journal);
  expect(b.kept.all()).toEqual([]);
});

test('a claim is kept before anything else is asked: whoever dies then is found', async () => {
  const source = async () => {
    throw new Error('no answer');
  };
  const b = bench({ source: source as unknown as HttpPlane['source'] });
  await expect(b.claim()).rejects.toThrow('no answer');
  expect(b.kept.read(execution)).toMatchObject({ grant: held, from: base });
});
