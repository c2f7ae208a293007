/**
 * Goal: a worker that shares no disk with the repository has its source, and its work comes back.
 * Method: two homes, a real repository on one side, bundles and a remote by HTTP between them.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { asCommit, execution, put, requestFor, rig } from '../../test/support/git-rig.ts';
import {
  type Fixture,
  fixtureAt,
  r0Plain,
  r1Submodule,
  runGit,
} from '../../test/support/repositories.ts';
import type { SourceOffer } from '../ports/source.ts';
import type { ExecutionId, RunId } from '../ports/words.ts';
import { gitExchange } from './exchange.ts';
import { gitMirrors } from './mirror.ts';
import { isPublic } from './source-offer.ts';
import { gitWorkspace } from './workspace.ts';

const run = 'abcdefghjkmn' as RunId;

function machines(make: (folder: string) => Fixture = r0Plain) {
  const { folder, home } = rig();
  const project = make(folder);
  const env = { PATH: process.env['PATH'], HOME: folder };
  const far = { home: join(folder, 'far-home'), env, isolated: true };
  const base = asCommit(project.git('rev-parse', 'HEAD'));
  return {
    folder,
    project,
    base,
    far,
    request: { root: project.root, commit: base, have: [], withoutRemote: false },
    exchange: gitExchange({ home, env }),
    mirrors: gitMirrors(far),
    workspace: gitWorkspace(far),
  };
}

/** What is on a disk of another machine, served as plain files. */
async function served(folder: string, name: string): Promise<string> {
  runGit(join(folder, name), 'update-server-info');
  const server = createServer((request, response) => {
    const path = join(folder, new URL(request.url ?? '/', 'http://x').pathname);
    if (existsSync(path)) response.end(readFileSync(path));
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise((resolve) => void server.close(() => resolve())));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/${name}`;
}

test('without a remote the whole source comes as a bundle, and work goes back as one (DESIGN §6)', async () => {
  const m = machines();
  const offer = await m.exchange.offer(m.request);
  expect(offer.remote).toBeNull();
  const { root } = await m.mirrors.bring(offer, run);
  const tree = await m.workspace.openTree(requestFor(m.project, { root }));
  put(tree.directory, 'src/add.mjs', 'export const add = (a, b) => a + b;\n');
  const { commit } = await m.workspace.snapshot(tree, 'work');
  if (commit === null) throw new Error('there was work');
  const id = execution(`${run}.2`);
  const packed = await m.mirrors.pack({ root, execution: id, from: m.base, tip: commit });
  if (!packed.ok) throw new Error(packed.detail);
  const { bundle } = packed;
  const work = { run, branch: 'pawl/fix-add-abcd', execution: id, root: m.project.root };
  const taken = await m.exchange.takeIn(
    { ...work, from: m.base, tip: commit, bundle },
    async () => true,
  );
  expect(taken).toEqual({ ok: true, branch: 'pawl/fix-add-abcd' });
  expect(m.project.git('show', 'pawl/fix-add-abcd:src/add.mjs')).toContain('a + b');

  // The next attempt on the same worker needs nothing; what it has is told.
  const have = await m.mirrors.known(offer.key);
  expect(have).toContain(commit);
  const next = await m.exchange.offer({ ...m.request, commit, have });
  expect(next.bundle).toBeNull();
  expect(await m.mirrors.bring(next, run)).toEqual({ root });
  expect(await m.workspace.openTree(requestFor(m.project, { root }))).toMatchObject({
    directory: tree.directory,
    created: false,
  });
});

test('work of another worker that comes to the mirror makes the next execution take a new tree', async () => {
  const m = machines();
  const { root } = await m.mirrors.bring(await m.exchange.offer(m.request), run);
  const request = requestFor(m.project, { root });
  const first = await m.workspace.openTree(request);
  m.project.write('from-elsewhere.txt', '1\n');
  const commit = asCommit(m.project.commit('work of another worker'));
  const have = await m.mirrors.known((await m.exchange.offer(m.request)).key);
  const offer = await m.exchange.offer({ ...m.request, commit, have });
  expect(offer.bundle?.length ?? 0).toBeGreaterThan(0);
  await m.mirrors.bring(offer, run);
  const second = await m.workspace.openTree({ ...request, from: commit });
  expect(second.directory).not.toBe(first.directory);
  expect(existsSync(join(second.directory, 'from-elsewhere.txt'))).toBe(true);
});

test('what the remote has is fetched there, and only what it lacks is bundled', async () => {
  const m = machines((folder) => {
    const start = r0Plain(folder, 'start');
    start.write('large.txt', Array.from({ length: 20_000 }, (_, n) => `${n}`).join('\n'));
    start.commit('much');
    runGit(folder, 'clone', '-q', '--bare', start.root, 'hub.git');
    runGit(folder, 'clone', '-q', join(folder, 'hub.git'), 'r0');
    return fixtureAt(join(folder, 'r0'));
  });
  const url = await served(m.folder, 'hub.git');
  m.project.git('remote', 'set-url', 'origin', url);
  const pushed = await m.exchange.offer(m.request);
  expect(pushed).toMatchObject({ bundle: null, remote: { url, ref: 'refs/heads/main' } });
  m.project.write('local.txt', 'not pushed\n');
  const commit = asCommit(m.project.commit('not pushed'));
  const offer = await m.exchange.offer({ ...m.request, commit });
  expect(offer.bundle?.length).toBeLessThan(2_000);
  const { root } = await m.mirrors.bring(offer, run);
  const tree = await m.workspace.openTree(requestFor(m.project, { root }));
  expect(existsSync(join(tree.directory, 'local.txt'))).toBe(true);
  expect(existsSync(join(tree.directory, 'large.txt'))).toBe(true);
});

test('a remote that cannot be reached is told, and a whole bundle does instead', async () => {
  const m = machines();
  const whole = await m.exchange.offer(m.request);
  const remote = { url: 'http://127.0.0.1:9/none.git', ref: 'refs/heads/main' };
  const tried = m.mirrors.bring({ ...whole, remote, bundle: null }, run);
  await expect(tried).rejects.toMatchObject({ code: 'source_unreachable' });
  const offer = await m.exchange.offer({ ...m.request, withoutRemote: true });
  await m.mirrors.bring(offer, run);
  expect(await m.mirrors.known(offer.key)).toEqual([m.base]);
});

test.each([
  ['https://example.org/a.git', true],
  ['https://ada:secret@example.org/a.git', false],
  ['https://token@example.org/a.git', false],
  ['ssh://git@example.org/a.git', false],
  ['git@example.org:a.git', false],
  ['/srv/a.git', false],
  ['file:///srv/a.git', false],
  ['ext::sh -c evil', false],
])('whether %s is named to a worker: %s (XP-28, XP-29)', (url, named) => {
  expect(isPublic(url)).toBe(named);
});

test.each([
  ['ext::sh -c "touch pwned"', 'refs/heads/main'],
  ['file:///etc', 'refs/heads/main'],
  ['https://example.org/a.git', '--upload-pack=evil'],
  ['https://example.org/a.git', 'refs/heads/*'],
])('a server that names %s %s gets the worker to run nothing', async (url, ref) => {
  const m = machines();
  const whole = await m.exchange.offer(m.request);
  const bent: SourceOffer = { ...whole, remote: { url, ref }, bundle: null };
  await expect(m.mirrors.bring(bent, run)).rejects.toMatchObject({ code: 'source_unreachable' });
});

test('contents kept by Git LFS and shallow clones are refused with what was found', async () => {
  const m = machines();
  const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n';
  m.project.write('.gitattributes', '*.bin filter=lfs diff=lfs merge=lfs -text\n');
  m.project.git('config', 'filter.lfs.required', 'false');
  m.project.write('a.bin', pointer);
  const commit = asCommit(m.project.commit('kept elsewhere'));
  await expect(m.exchange.offer({ ...m.request, commit })).rejects.toMatchObject({
    code: 'source_unavailable',
    details: { found: '1 of its files: a.bin' },
  });
  runGit(m.folder, 'clone', '-q', '--depth=1', `file://${m.project.root}`, 'shallow');
  const root = join(m.folder, 'shallow');
  const head = asCommit(runGit(root, 'rev-parse', 'HEAD~0'));
  runGit(root, 'rm', '-q', 'a.bin');
  runGit(root, 'commit', '-q', '-m', 'without');
  const next = asCommit(runGit(root, 'rev-parse', 'HEAD'));
  expect(next).not.toBe(head);
  await expect(m.exchange.offer({ ...m.request, root, commit: next })).rejects.toMatchObject({
    code: 'source_unavailable',
    message: 'the repository is a shallow clone',
  });
});

test('a submodule that no worker can read is found before anything is carried', async () => {
  const m = machines((folder) => r1Submodule(folder, { unreachable: false }));
  await expect(m.exchange.offer(m.request)).rejects.toMatchObject({
    code: 'source_unavailable',
    details: { found: expect.stringMatching(/^lib, at /) },
  });
  const without = { ...m.request, withoutSubmodules: true } as const;
  expect(await m.exchange.offer(without)).toMatchObject({ submodules: false });
  m.project.git('config', '-f', '.gitmodules', 'submodule.lib.url', 'https://example.org/lib.git');
  expect(await m.exchange.offer(m.request)).toMatchObject({ submodules: true });
});

test('links and submodule commits that would be refused are told where they were made', async () => {
  const m = machines();
  const { root } = await m.mirrors.bring(await m.exchange.offer(m.request), run);
  const tree = await m.workspace.openTree(requestFor(m.project, { root }));
  const { symlinkSync } = await import('node:fs');
  symlinkSync('/etc', join(tree.directory, 'etc'));
  const { commit } = await m.workspace.snapshot(tree, 'a link');
  if (commit === null) throw new Error('there was work');
  const id = execution(`${run}.2`);
  const packed = await m.mirrors.pack({ root, execution: id, from: m.base, tip: commit });
  expect(packed).toMatchObject({ ok: false, reason: 'bundle.unsafe_link' });
});

test('git of a worker reads no configuration of its user and asks for no login (XP-29)', async () => {
  const { folder, home } = rig();
  put(folder, 'user/.gitconfig', '[alias]\n\tx = !true\n[credential]\n\thelper = store\n');
  const env = { PATH: process.env['PATH'], HOME: join(folder, 'user'), GIT_ASKPASS: '/bin/evil' };
  const { placeOf } = await import('./repository.ts');
  const { git } = placeOf({ home, env, isolated: true });
  const call = { cwd: folder };
  const listed = await git.text(['config', '--list'], call);
  expect(listed).not.toContain('alias.x');
  expect(listed).not.toContain('store');
  const filled = git.run(['credential', 'fill'], { ...call, input: 'url=https://example.org\n\n' });
  await expect(filled).rejects.toMatchObject({ code: 'git_failed' });
});

test('work that is too large says what is largest, and the next tree goes on without it', async () => {
  const m = machines();
  const limits = { bytes: 64 * 1024, objects: 100, unpackedBytes: 256 * 1024 };
  const mirrors = gitMirrors({ ...m.far, limits });
  const { root } = await mirrors.bring(await m.exchange.offer(m.request), run);
  const packed = async (fresh: ExecutionId | null, files: Readonly<Record<string, string>>) => {
    const tree = await m.workspace.openTree(requestFor(m.project, { root, fresh }));
    for (const [name, text] of Object.entries(files)) put(tree.directory, name, text);
    const { commit } = await m.workspace.snapshot(tree, 'work');
    if (commit === null) throw new Error('there was work');
    return mirrors.pack({ root, execution: execution(`${run}.2`), from: m.base, tip: commit });
  };
  const noise = randomBytes(60 * 1024).toString('hex');
  const large = await packed(null, { 'dist/big.txt': noise, 'src/add.mjs': 'ok\n' });
  expect(large).toMatchObject({ ok: false, reason: 'bundle.too_large' });
  expect(large).toHaveProperty('detail', expect.stringMatching(/packed; largest: dist\/big\.txt /));
  const deep = await packed(execution(`${run}.3`), { 'zeros.txt': '0'.repeat(1024 * 1024) });
  expect(deep).toHaveProperty(
    'detail',
    '1.0 MB of at most 0.3 MB unpacked; largest: zeros.txt 1.0 MB',
  );
  const many = Object.fromEntries(Array.from({ length: 99 }, (_, n) => [`lib/${n}.txt`, `${n}`]));
  expect(await packed(execution(`${run}.4`), many)).toMatchObject({
    reason: 'bundle.too_many_objects',
    detail: expect.stringMatching(/^\d+ objects of at most 100; most in: lib\/ 99/),
  });
  expect(await packed(execution(`${run}.5`), { 'src/add.mjs': 'ok\n' })).toMatchObject({
    ok: true,
  });
});
