/** Goal: who judges what is seen finds it at its path, byte for byte, or is told that it is not. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { noFiles, removeRig, run } from '../../test/support/lane-rig.ts';
import { leftFiles } from '../git/left-files.ts';
import type { ShownFiles } from '../ports/judge.ts';
import type { FilesLeft } from '../ports/workspace.ts';

afterAll(removeRig);

const artifacts = ['shots/*.png', 'none/*'];
const leave = 'mkdir -p shots; printf picture > shots/a.png; printf {} ';

test('what a turn left is attested beside its commit, and stays where it is (EV-67, XP-17)', async () => {
  const asked: FilesLeft[] = [];
  const { result, tree } = await run({
    agent: leave,
    definition: { artifacts },
    workspace: { leftFiles },
    options: {
      checks: {
        ...noFiles,
        attestFiles: async (request) => {
          asked.push(request.left);
          expect(request).toMatchObject({ attempt: 1, commit: 'c0ffee', run: 'test' });
          return noFiles.attestFiles(request);
        },
        furnish: async () => ({ how: 'none', ok: true, detail: '' }),
      },
    },
  });
  expect(result).toMatchObject({
    kind: 'executed',
    artifacts: {
      statement: expect.stringMatching(/^sha256:/),
      files: [{ path: 'shots/a.png', bytes: 7 }],
      more: 0,
      missing: ['none/*'],
      refused: [],
    },
  });
  expect(asked).toHaveLength(1);
  expect(readFileSync(join(tree, 'shots/a.png'), 'utf8')).toBe('picture');
});

test('without artifacts nothing is looked at; a tree that cannot be read costs no turn', async () => {
  const unread = () => Promise.reject(new Error('EIO: the disk'));
  const none = await run({ agent: leave, workspace: { leftFiles: unread } });
  expect(none.result).not.toHaveProperty('artifacts');
  const broken = await run({
    agent: leave,
    definition: { artifacts },
    workspace: { leftFiles: unread },
  });
  expect(broken.result).toMatchObject({ kind: 'executed', artifacts: { missing: artifacts } });
});

interface Shown {
  readonly kind?: 'oracle' | 'observer';
  readonly profile?: string;
  readonly left: FilesLeft | null;
  /** Files of the maker's tree. */
  readonly maker?: Readonly<Record<string, string>>;
  /** Prepares the judge's folder. */
  readonly prepare?: (directory: string) => void;
}

async function judged({ kind = 'observer', profile = 'observer', ...shown }: Shown) {
  let seen: ShownFiles | null = null;
  let maker = '';
  const { tree, home } = await run({
    agent: 'printf {}',
    role: 'judge',
    lane: { profile },
    definition: {
      name: 'n',
      criteria: [{ kind, question: 'fine?', timeoutMs: 1_000 }],
    },
    dispatch: {
      attested: { statement: `sha256:${'0'.repeat(64)}`, attempt: 1, commit: 'abc' } as never,
    },
    workspace: {
      leftFiles,
      locate: async (root) => {
        maker = join(root, '..', 'maker');
        for (const [path, text] of Object.entries(shown.maker ?? {})) {
          mkdirSync(dirname(join(maker, path)), { recursive: true });
          writeFileSync(join(maker, path), text);
        }
        shown.prepare?.(root);
        return maker;
      },
    },
    options: {
      checks: {
        attestFiles: noFiles.attestFiles,
        attestedFiles: async () => shown.left,
        furnish: async () => ({ how: 'none', ok: true, detail: '' }),
      },
      judges: {
        prompt: ({ files }) => {
          seen = files ?? null;
          return 'judge';
        },
        opinion: (brief) => brief,
        verdict: async () => ({ outcome: 'passed', summary: '', criteria: [] }) as never,
      },
    },
  });
  return { seen: seen as ShownFiles | null, tree, home };
}

const left = (path: string, text: string) => ({
  path,
  sha256: createHash('sha256').update(text).digest('hex'),
  bytes: text.length,
});

test('an observer finds each file at its path; one that was changed since is not shown (EV-67)', async () => {
  const { seen, tree } = await judged({
    left: {
      files: [left('shots/a.png', 'picture'), left('shots/b.png', 'before'), left('c.png', 'c')],
      refused: [{ path: 'huge.png', why: 'it is too large' }],
      missing: ['none/*'],
    },
    maker: { 'shots/a.png': 'picture', 'shots/b.png': 'after!' },
    prepare: (directory) => writeFileSync(join(directory, 'c.png'), 'c'),
  });
  expect(seen).toEqual({
    commit: 'abc',
    shown: [left('shots/a.png', 'picture'), left('c.png', 'c')],
    unseen: [
      { path: 'huge.png', why: 'it is too large' },
      { path: 'shots/b.png', why: 'it is gone or was changed since' },
    ],
    missing: ['none/*'],
  });
  expect(readFileSync(join(tree, 'shots/a.png'), 'utf8')).toBe('picture');
});

test('nothing is written through a link of the judged work', async () => {
  const { seen, home } = await judged({
    left: { files: [left('shots/a.png', 'picture')], refused: [], missing: [] },
    maker: { 'shots/a.png': 'picture' },
    prepare: (directory) => {
      mkdirSync(join(directory, '..', 'elsewhere'));
      symlinkSync(join(directory, '..', 'elsewhere'), join(directory, 'shots'));
    },
  });
  expect(seen?.unseen).toEqual([{ path: 'shots/a.png', why: 'its folder is a link' }]);
  expect(existsSync(join(home, 'elsewhere/a.png'))).toBe(false);
});

test('an oracle is not shown them, an observer by its profile is, and a lost attestation is told', async () => {
  const files = { files: [left('a.png', 'a')], refused: [], missing: [] };
  expect((await judged({ kind: 'oracle', profile: 'oracle', left: files })).seen).toBe(null);
  const seen = (await judged({ kind: 'oracle', left: files, maker: { 'a.png': 'a' } })).seen;
  expect(seen?.shown).toHaveLength(1);
  expect((await judged({ left: null })).seen).toMatchObject({
    shown: [],
    unseen: [{ why: 'their attestation is not in this store' }],
  });
});
