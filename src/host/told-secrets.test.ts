/**
 * Goal: what a lane says of itself is kept without its secrets, whichever way it says it.
 * Method: real processes; a scripted end where no command has a say.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { removeRig, run, type Script } from '../../test/support/lane-rig.ts';
import { adapterOf } from '../agents/adapters.ts';
import { WorldError } from '../kernel/errors.ts';
import type { LaneHostOptions } from './lane-host.ts';
import { told } from './lane-work.ts';

vi.setConfig({ testTimeout: 60_000 });
afterAll(removeRig);

const value = 'planted-secret-value';
const env = { PATH: process.env['PATH'], PLANTED: value };

/** All that outlives the execution. */
async function kept(script: Script): Promise<string> {
  const options = { env, ...script.options };
  const { spool, result, kept } = await run({ ...script, options });
  const files = readdirSync(spool, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
  return [...files, JSON.stringify(result), ...kept.values()].join();
}

/** As a program does that repeats the key in its error, which its service refused. */
const failing: LaneHostOptions['adapter'] = (role) => {
  const plain = adapterOf(role);
  const detail = `refused: ${value}`;
  const end = () =>
    ({ outcome: 'failed', class: 'auth_required', detail, usage: null, sessionId: null }) as const;
  const launch: typeof plain.launch = (setting) => {
    const launched = plain.launch(setting);
    return { ...launched, talk: { ...launched.talk, end } };
  };
  return { ...plain, launch };
};

test.each(['execute', 'judge'] as const)(
  'what a program tells of its failure has no secret: %s (XP-28, L-N1, D-108)',
  async (role) => {
    const secrets = { KEY: 'env:PLANTED' };
    const text = await kept({ agent: 'true', role, secrets, options: { adapter: failing } });
    expect(text).not.toContain(value);
    expect(text).toContain('refused: ‹redacted KEY›');
  },
);

test('what a judge answers in its result file has no secret (XP-28, L-N1)', async () => {
  const agent = `printf '{"outcome":"done","text":"it is %s"}' "$KEY" > "$PAWL_RESULT_FILE"`;
  const text = await kept({ agent, role: 'judge', secrets: { KEY: 'env:PLANTED' } });
  expect(text).not.toContain(value);
  expect(text).toContain('it is ‹redacted KEY›');
});

test('names of files that are told of have no secret (XP-28, L-N1)', async () => {
  const holders = () => [`7 cat ${value}`];
  const tree = { created: false, isolation: 'worktree' } as const;
  const openTree = async ({ root }: { readonly root: string }) => ({
    ...{ directory: root, root, branch: null, base: null },
    ...tree,
  });
  const text = await kept({
    ...{ agent: 'true', secrets: { KEY: 'env:PLANTED' }, workspace: { openTree } },
    options: { holders },
  });
  expect(text).not.toContain(value);
  expect(text).toContain('7 cat ‹redacted KEY›');
});

test('a variable that is let through and not stored is not told either (XP-28, L-N1)', async () => {
  const definition = {
    env: {
      ...{ allow: ['PLANTED'], set: {} },
      started: { values: {}, withheld: ['PLANTED'] },
    },
  };
  const text = await kept({ agent: 'echo "it is $PLANTED"; env >&2', definition });
  expect(text).not.toContain(value);
  expect(text).toContain('it is ‹redacted PLANTED›');
});

test('what an error has found is told once', () => {
  const lost = (message: string) =>
    new WorldError('workspace_lost', message, { found: 'it is gone' });
  expect(told(lost('the tree is not usable: it is gone'))).toBe(
    'the tree is not usable: it is gone',
  );
  expect(told(lost('the tree is not usable'))).toBe('the tree is not usable (it is gone)');
});
