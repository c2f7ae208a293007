/**
 * Goal: what a lane says that is asked about a parked run is kept as prose, bounded and without
 * secrets; one that says nothing has given no opinion (EV-7).
 * Method: real processes of a command that answers on its output.
 */
import { afterAll, expect, test, vi } from 'vitest';
import { removeRig, run, type Script } from '../../test/support/lane-rig.ts';
import type { JobResult } from '../domain/execution/state.ts';

vi.setConfig({ testTimeout: 60_000 });
afterAll(removeRig);

const consult = (script: Script) => run({ role: 'consult', ...script });
const advised = (result: JobResult | undefined) => {
  if (result?.kind !== 'advised') throw new Error(JSON.stringify(result));
  return result.text;
};

test('it is asked with what the engine told and the patch, in a tree of its own', async () => {
  const { result, told, kept } = await consult({ agent: 'read -r line; echo "heard: $line"' });
  expect(kept.get(advised(result))).toBe('heard: make it work; the patch');
  expect(told).toEqual(['claim', expect.stringMatching(/^start/), 'removed', 'result', 'driver']);
});

test('an opinion is bounded, and has no secret (XP-28, L-N1)', async () => {
  const env = { PATH: process.env['PATH'], PLANTED: 'planted-secret-value' };
  const agent = `echo "key $KEY"; yes it | head -c 100000`;
  const secrets = { KEY: 'env:PLANTED' };
  const { result, kept } = await consult({ agent, secrets, options: { env } });
  const text = kept.get(advised(result)) ?? '';
  expect(text).toContain('key ‹redacted KEY›');
  expect(text).not.toContain(env.PLANTED);
  expect(text.length).toBeLessThanOrEqual(16_384);
});

test.each([
  { agent: 'true', failure: { class: 'lane_died', cleanExit: true } },
  { agent: 'kill -9 $$', failure: { class: 'lane_died' } },
  { agent: 'echo half; sleep 605', failure: { class: 'window_exhausted' } },
])('"$agent" gave no opinion: $failure.class', async ({ agent, failure }) => {
  const { result } = await consult({ agent, dispatch: { deadlineMs: 1_500 } });
  expect(result).toMatchObject({ kind: 'failed', proof: expect.any(String), ...failure });
  expect(result).not.toHaveProperty('text', expect.any(String));
});

test('before anything was recorded it stands at the base; in a folder of its own, in that', async () => {
  const places: unknown[] = [];
  const judgeTree = async ({ commit }: { readonly commit: unknown }) => {
    places.push(commit);
    return { directory: process.cwd(), remove: async () => {} };
  };
  const job = { role: 'consult', attempt: 1, step: null, commit: null } as const;
  const dispatch = { job: { ...job, tree: 'same', session: 'fresh' } } as const;
  const agent = 'echo seen';
  await consult({ agent, dispatch, options: { judgeTree } });
  await consult({ agent, dispatch, options: { judgeTree }, isolation: 'none' });
  expect(places).toEqual(['base']);
});
