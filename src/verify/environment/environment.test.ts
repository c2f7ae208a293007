import {
  appendFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Commit, RunId } from '../../../src/domain/ids.ts';
import { gitWorkspace } from '../../../src/git/workspace.ts';
import { check, definitionWith, verifier } from '../../../test/support/verifier.ts';
import { runtimeChecks } from '../checks.ts';

vi.setConfig({ testTimeout: 60_000 });

let v: ReturnType<typeof verifier>;
beforeEach(() => {
  v = verifier();
});
afterEach(() => v.remove());

/** Makes a dependency with a tool, a link and odd modes, and counts how often it ran. */
const install = (folder: string) => `#!/bin/sh
echo run >> ${folder}/setups
mkdir -p node_modules/.bin node_modules/dep
printf '#!/bin/sh\\nexit %s\\n' "\${TOOL_EXIT:-0}" > node_modules/dep/tool
chmod 751 node_modules/dep/tool
ln -s ../dep/tool node_modules/.bin/tool
cp package-lock.json node_modules/dep/lock
`;
const files = (folder: string) => ({
  '.gitignore': 'node_modules\ndist\n.venv\n',
  'setup.sh': install(folder),
  'package-lock.json': '1',
  a: '1',
});
const setup = { command: './setup.sh', timeoutMs: 60_000 };

function definition(base: Commit, command = 'node_modules/.bin/tool', changes = {}) {
  const workspace = { setup, copy: [], submodules: 'auto' } as const;
  return definitionWith(v.root, base, { workspace, criteria: [check(command)], ...changes });
}
const setups = () => readFileSync(join(v.folder, 'setups'), 'utf8').split('\n').length - 1;
function checkTree(): string {
  const pool = join(v.home, 'check-trees');
  const [repository = ''] = readdirSync(pool);
  return join(pool, repository, '1');
}

test('setup runs once per key; another lock file is another key, and the receipt shows both', async () => {
  const base = v.commit(files(v.folder));
  const work = v.commit({ a: '2' });
  expect((await v.checks.verify(v.request(definition(base), base))).outcome).toBe(
    'missing_evidence',
  );
  const first = await v.checks.verify(v.request(definition(base), work));
  expect(first.outcome).toBe('passed');
  expect(setups()).toBe(1);
  const other = runtimeChecks(v.options);
  expect((await other.verify(v.request(definition(base), work))).outcome).toBe('passed');
  expect(setups()).toBe(1);

  const locked = v.commit({ 'package-lock.json': '2' });
  const command = 'test "$(cat node_modules/dep/lock)" = 2';
  const verdict = await v.checks.verify(v.request(definition(base, command), locked));
  expect(verdict.outcome).toBe('passed');
  expect(setups()).toBe(2);
  const { environment } = await v.predicate(verdict.receipt);
  expect(environment.key).not.toBe(environment.baseKey);
  const before = (await v.predicate(first.receipt)).environment;
  expect(before.key).toBe(before.baseKey);
  expect(before).toMatchObject({ setup: './setup.sh', paths: ['node_modules'], rebuilt: [] });

  // Back to the old key: both stand on the shelf, although the tree's links came and went.
  await v.checks.verify(v.request(definition(base), work));
  expect(setups()).toBe(2);
});

test('a tool that an attempt replaced in the check tree is made again before the next check', async () => {
  const base = v.commit(files(v.folder));
  const work = v.commit({ a: '2' });
  // The check itself breaks the rule that it should be judged by: in place, with its times put
  // back.
  const tamper = `touch -r node_modules/dep/tool ../stamp && printf '#!/bin/sh\\nexit 9\\n' > \
node_modules/dep/tool && touch -r ../stamp node_modules/dep/tool`;
  const criteria = [check(tamper), check('node_modules/.bin/tool')];
  const verdict = await v.checks.verify(v.request(definition(base, '', { criteria }), work));
  expect(verdict.outcome).toBe('passed');
  const { environment } = await v.predicate(verdict.receipt);
  expect(environment.rebuilt).toEqual([['node_modules/dep/tool']]);
  expect(v.progress.join('\n')).toContain('not as setup left them');
  // A later run is not touched by it either.
  const later = await v.checks.verify(v.request(definition(base), work));
  expect(later.outcome).toBe('passed');
});

test('files added to prepared paths go, caches in them go without a word', async () => {
  const base = v.commit(files(v.folder));
  const work = v.commit({ a: '2' });
  await v.checks.verify(v.request(definition(base), work));
  const modules = join(checkTree(), 'node_modules');
  mkdirSync(join(modules, '.cache'));
  writeFileSync(join(modules, '.cache/x'), 'x');
  const clean = definition(base, '! test -e node_modules/.cache && ! test -e node_modules/new');
  const cached = await v.checks.verify(v.request(clean, work));
  expect(cached.outcome).toBe('passed');
  expect((await v.predicate(cached.receipt)).environment.rebuilt).toEqual([]);
  writeFileSync(join(modules, 'new'), 'x');
  const added = await v.checks.verify(v.request(clean, work));
  expect(added.outcome).toBe('passed');
  expect((await v.predicate(added.receipt)).environment.rebuilt).toEqual([['node_modules/new']]);
  expect(setups()).toBe(1);
});

test('what setup builds of the sources is kept for that tree alone', async () => {
  const build = `#!/bin/sh\necho run >> ${v.folder}/setups\nmkdir dist && cp a dist/a\n`;
  const base = v.commit({ ...files(v.folder), 'setup.sh': build });
  const work = v.commit({ a: '2' });
  const same = definition(base, 'cmp a dist/a');
  await v.checks.baseline(v.request(same, null));
  expect((await v.checks.verify(v.request(same, work))).outcome).toBe('passed');
  expect(setups()).toBe(2);
  await v.checks.verify(v.request(same, work));
  expect(setups()).toBe(2);
});

test('an environment that names its folder is made in each tree itself', async () => {
  const venv = `#!/bin/sh\necho run >> ${v.folder}/setups\nmkdir .venv\npwd -P > .venv/place\ntouch .venv/pyvenv.cfg\n`;
  const base = v.commit({ ...files(v.folder), 'setup.sh': venv });
  const work = v.commit({ a: '2' });
  const here = definition(base, 'test "$(cat .venv/place)" = "$(pwd -P)"');
  expect((await v.checks.baseline(v.request(here, null))).baseline).toBe('green');
  expect((await v.checks.verify(v.request(here, work))).outcome).toBe('passed');
  expect(setups()).toBe(1);
  const lane = join(v.folder, 'lane');
  v.git('worktree', 'add', '-q', '--detach', lane, work);
  const furnished = await v.checks.furnish({ ...v.request(here, work), directory: lane });
  expect(furnished).toMatchObject({ how: 'setup', ok: true });
  expect(readFileSync(join(lane, '.venv/place'), 'utf8').trim()).toBe(lane);
});

test('a lane gets its own files: modes and links kept, no inode shared (L-G20)', async () => {
  const base = v.commit(files(v.folder));
  const lane = join(v.folder, 'lane');
  v.git('worktree', 'add', '-q', '--detach', lane, base);
  await v.checks.verify(v.request(definition(base), base));
  const furnished = await v.checks.furnish({
    ...v.request(definition(base), base),
    directory: lane,
  });
  expect(furnished.ok).toBe(true);
  expect(['copy', 'reflink']).toContain(furnished.how);
  const [own, ours] = [lane, checkTree()].map((tree) =>
    statSync(join(tree, 'node_modules/dep/tool')),
  );
  expect((own?.mode ?? 0) & 0o777).toBe(0o751);
  expect(own?.ino).not.toBe(ours?.ino);
  expect(readlinkSync(join(lane, 'node_modules/.bin/tool'))).toBe('../dep/tool');
  // Tampering in the lane has no effect on the check.
  appendFileSync(join(lane, 'node_modules/dep/tool'), 'exit 7\n');
  const work = v.commit({ a: '2' });
  expect((await v.checks.verify(v.request(definition(base), work))).outcome).toBe('passed');
  expect(setups()).toBe(1);
});

test('setup that fails is said before anything starts, with its last lines (L-G18)', async () => {
  const base = v.commit({ ...files(v.folder), 'setup.sh': '#!/bin/sh\necho no network\nexit 4\n' });
  const baseline = await v.checks.baseline(v.request(definition(base), null));
  expect(baseline).toMatchObject({
    baseline: 'unrunnable',
    setup: 'failed',
    summary: 'setup "./setup.sh" failed: exit 4: no network',
  });
  const lane = join(v.folder, 'lane');
  v.git('worktree', 'add', '-q', '--detach', lane, base);
  const furnished = await v.checks.furnish({
    ...v.request(definition(base), base),
    directory: lane,
  });
  expect(furnished).toMatchObject({ how: 'setup', ok: false });
  expect(furnished.detail).toContain('no network');
});

test('setup broken by the work fails the work; broken by the machine it spends nothing', async () => {
  const base = v.commit({
    ...files(v.folder),
    'setup.sh': `#!/bin/sh\ntest "$(cat package-lock.json)" = 1 && ! test -e ${v.folder}/offline\n`,
  });
  const broken = v.commit({ 'package-lock.json': '9' });
  const failed = await v.checks.verify(v.request(definition(base, 'true'), broken));
  expect(failed.outcome).toBe('failed');
  expect(failed.summary).toContain('setup "./setup.sh" failed');
  const work = v.commit({ 'package-lock.json': '1', a: '2' });
  writeFileSync(join(v.folder, 'offline'), '');
  const machine = await v.checks.verify(v.request(definition(base, 'true'), work));
  expect(machine.outcome).toBe('verifier_unavailable');
});

test('nothing is removed or written through a link that a commit put above a prepared path', async () => {
  const nested = `#!/bin/sh\nmkdir -p app/node_modules && touch app/node_modules/dep\n`;
  const base = v.commit({ ...files(v.folder), 'setup.sh': nested, 'app/a': '1' });
  const outside = join(v.folder, 'outside');
  mkdirSync(join(outside, 'node_modules'), { recursive: true });
  writeFileSync(join(outside, 'node_modules/precious'), 'x');
  await v.checks.verify(v.request(definition(base, 'true'), base));
  v.commit({ app: null });
  symlinkSync(outside, join(v.root, 'app'));
  const work = v.commit({});
  await v.checks.verify(v.request(definition(base, 'true'), work));
  expect(readdirSync(join(outside, 'node_modules'))).toContain('precious');
});

test('two checks that want the same environment at once run setup once', async () => {
  const base = v.commit(files(v.folder));
  const works = [v.commit({ a: '2' }), v.commit({ a: '3' })];
  const verdicts = await Promise.all(
    works.map((work) => v.checks.verify(v.request(definition(base), work))),
  );
  expect(verdicts.map((one) => one.outcome)).toEqual(['passed', 'passed']);
  expect(setups()).toBe(1);
});

test('a file brought along is there, its values are not shown, another content is another key', async () => {
  const base = v.commit({ ...files(v.folder), '.gitignore': 'node_modules\n.env.test\n' });
  const work = v.commit({ a: '2' });
  writeFileSync(join(v.root, '.env.test'), 'KEY="geheim-0815"\n');
  const workspace = { setup, copy: ['.env*', '../gone'], submodules: 'auto' } as const;
  const brought = definition(base, 'cat .env.test', { workspace });
  const verdict = await v.checks.verify(v.request(brought, work));
  expect(verdict.outcome).toBe('passed');
  const output = await v.read(verdict.criteria[0]?.output ?? null);
  expect(output).toBe('KEY="[redacted]"\n');
  writeFileSync(join(v.root, '.env.test'), 'KEY="other-value"\n');
  await v.checks.verify(v.request(brought, work));
  expect(setups()).toBe(2);
});

test('the least recently used environment goes when the shelf is full', async () => {
  v.remove();
  v = verifier({ environmentBytesMax: 1 });
  const base = v.commit(files(v.folder));
  const other = v.commit({ 'package-lock.json': '2' });
  await v.checks.verify(v.request(definition(base), base));
  await v.checks.verify(v.request(definition(base), other));
  const shelf = readdirSync(join(v.home, 'environments')).filter((name) => !name.startsWith('.'));
  expect(shelf).toHaveLength(1);
});

test('verify.tree lane: the recorded commit in the lane tree, ignored files kept, said as shared', async () => {
  const base = v.commit(files(v.folder));
  const work = v.commit({ a: '2' });
  const workspace = gitWorkspace({ home: v.home });
  const tree = await workspace.openTree({
    root: v.root,
    run: 'run000000000' as RunId,
    name: 'fix',
    short: 'run0',
    from: base,
    base,
    isolation: 'worktree',
    submodules: 'auto',
    copy: [],
    fresh: null,
  });
  const lane = tree.directory;
  await v.checks.furnish({ ...v.request(definition(base), base), directory: lane });
  mkdirSync(join(lane, 'dist'));
  writeFileSync(join(lane, 'dist/built'), 'slow to make');
  mkdirSync(join(lane, 'coverage'));
  writeFileSync(join(lane, 'stray'), 'x');
  const command = 'node_modules/.bin/tool && test -e dist/built && ! test -e stray && grep 2 a';
  const inLane = definition(base, command, { verifyTree: 'lane' });
  const verdict = await v.checks.verify(v.request(inLane, work, { directory: lane }));
  expect(verdict.outcome).toBe('passed');
  expect(await v.predicate(verdict.receipt)).toMatchObject({ tree: 'shared' });
  expect(setups()).toBe(1);
});

test('isolation none: the folder is checked as it lies, setup runs there once', async () => {
  const base = v.commit(files(v.folder));
  const command = 'node_modules/.bin/tool && test "$(pwd -P)" = "$PLACE" && test -e stray';
  writeFileSync(join(v.root, 'stray'), 'x');
  const inPlace = definition(base, command, {
    source: { isolation: 'none', base, baseBranch: null, includeChanges: false },
    env: { allow: [], set: { PLACE: v.root } },
  });
  const request = v.request(inPlace, base, { directory: v.root });
  const verdict = await v.checks.verify({ ...request, restoreProtected: true });
  expect(verdict.criteria.map((one) => one.outcome)).toEqual(['passed']);
  const predicate = await v.predicate(verdict.receipt);
  expect(predicate).toMatchObject({ tree: 'shared', environment: { how: 'setup' } });
  await v.checks.verify(request);
  expect(setups()).toBe(1);
});

test('a baseline is judged once for the same tree, command and key', async () => {
  const base = v.commit(files(v.folder));
  const counting = `echo x >> ${v.folder}/checks; false`;
  const red = definition(base, counting);
  const first = await v.checks.baseline(v.request(red, null));
  const again = await runtimeChecks(v.options).baseline(v.request(red, null));
  expect(again).toEqual(first);
  expect(readFileSync(join(v.folder, 'checks'), 'utf8')).toBe('x\n');
  const skipped = definition(base, counting, { baseline: 'skip' });
  expect(await v.checks.baseline(v.request(skipped, null))).toMatchObject({
    baseline: 'skipped',
    summary: 'baseline: not run',
    receipt: null,
  });
});

test('hard links moved by time alone are proven by contents, not made again', async () => {
  const base = v.commit(files(v.folder));
  const work = v.commit({ a: '2' });
  await v.checks.verify(v.request(definition(base), work));
  const [id = ''] = readdirSync(join(v.home, 'environments')).filter((one) => !one.startsWith('.'));
  const tool = join(v.home, 'environments', id, 'tree/node_modules/dep/tool');
  expect(existsSync(tool)).toBe(true);
  utimesSync(tool, new Date(), lstatSync(tool).mtime);
  await v.checks.verify(v.request(definition(base), work));
  expect(setups()).toBe(1);
});

test('what setup makes and git does not ignore is refused by name, not lost; node_modules is kept', async () => {
  const base = v.commit({ ...files(v.folder), '.gitignore': '' });
  const kept = await v.checks.verify(v.request(definition(base), v.commit({ a: '2' })));
  expect(kept.outcome).toBe('passed');
  const stray = { command: './setup.sh && mkdir gen && touch gen/x made', timeoutMs: 60_000 };
  const workspace = { setup: stray, copy: [], submodules: 'auto' } as const;
  const refused = await v.checks.baseline(v.request(definition(base, 'true', { workspace }), null));
  expect(refused).toMatchObject({ setup: 'failed', baseline: 'unrunnable' });
  expect(refused.summary).toContain('git does not ignore, so no check would have them: gen, made');
  expect(refused.summary).toContain('.gitignore');
});

test('tracked files that setup changes are put back, and the receipt says which', async () => {
  const script = 'mkdir -p node_modules && echo x > node_modules/x && echo 2 > package-lock.json\n';
  const base = v.commit({ ...files(v.folder), 'setup.sh': `#!/bin/sh\n${script}` });
  const checks = 'test "$(cat package-lock.json)" = 1';
  for (const _once of [1, 2]) {
    const verdict = await v.checks.verify(v.request(definition(base, checks), base));
    const { environment } = await v.predicate(verdict.receipt);
    expect(environment.putBack).toEqual(['package-lock.json']);
  }
});
