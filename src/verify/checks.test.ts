import { existsSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { processesOf } from '../../test/support/processes.ts';
import { check, definitionWith, verifier } from '../../test/support/verifier.ts';

vi.setConfig({ testTimeout: 60_000 });

let v: ReturnType<typeof verifier>;
beforeEach(() => {
  v = verifier();
});
afterEach(() => v.remove());

const sum = (body: string) => `export const sum = (a, b) => ${body};\n`;
const test12 = `import { test } from 'node:test';
import assert from 'node:assert';
import { sum } from './sum.mjs';
test('adds', () => assert.equal(sum(1, 2), 3));
test('is there', () => assert.ok(sum));
`;

test('a red base becomes the start of the score, a fixed commit passes with a receipt (XP-26)', async () => {
  const base = v.commit({ 'sum.mjs': sum('a - b'), 'sum.test.mjs': test12 });
  const fixed = v.commit({ 'sum.mjs': sum('a + b') });
  const definition = definitionWith(v.root, base);

  const baseline = await v.checks.baseline(v.request(definition, null));
  expect(baseline).toMatchObject({
    baseline: 'red',
    setup: 'none',
    summary: 'node --test fails (1 failed, 1 passed)',
  });

  const bad = await v.checks.verify(v.request(definition, base));
  expect(bad).toMatchObject({ outcome: 'failed' });
  expect(bad.summary).toBe('node --test exit 1 · 1 failed, 1 passed');

  const good = await v.checks.verify(v.request(definition, fixed));
  expect(good).toMatchObject({ outcome: 'passed', commit: fixed, verifierIdentity: 'runtime' });
  expect(good.summary).toBe('node --test exit 0 · 2 passed');
  const predicate = await v.predicate(good.receipt);
  expect(predicate).toMatchObject({
    tree: 'clean',
    baseline: 'red',
    work: { commit: fixed },
    base: { commit: base },
    criteria: [
      {
        counts: { passed: 2, failed: 0 },
        baseline: { passed: 1, failed: 1 },
        executions: 1,
        exit: 0,
      },
    ],
  });
});

const shell = (text: string) => `#!/bin/sh\n${text}\n`;

test.each([
  ['prints "2 failed" and exits 0 (L-A22)', 'echo "2 failed"', {}, 'the report is believed'],
  ['prints DONE and exits 1 (L-A1)', 'echo DONE; exit 1', {}, 'exit 1'],
  [
    'shows no tests although some are wanted (L-A23)',
    'echo teardown timed out',
    { testsRunMoreThan: 0 },
    'no report says how many tests ran',
  ],
  ['is not there', './gone.sh', {}, 'exit 127'],
  ['waits for input that never comes', 'read line || exit 3', {}, 'exit 3'],
] as const)('a check that %s fails', async (_, command, rule, reason) => {
  const base = v.commit({ a: '1' });
  const work = v.commit({ a: '2' });
  const definition = definitionWith(v.root, base, { criteria: [check(command, rule)] });
  const verdict = await v.checks.verify(v.request(definition, work));
  expect(verdict.outcome).toBe('failed');
  expect(verdict.criteria[0]?.reasons[0]).toContain(reason);
});

test('a watcher that never ends is ended with its tree, and named (L-D15, L-I9)', async () => {
  const base = v.commit({ a: '1' });
  const work = v.commit({ a: '2' });
  const watch = `node -e "setInterval(()=>{},1e3)" & node -e "setInterval(()=>{},1e3)"`;
  const criteria = [check(watch, { timeoutMs: 1_500 })];
  const definition = definitionWith(v.root, base, { criteria });
  const verdict = await v.checks.verify(v.request(definition, work));
  expect(verdict).toMatchObject({ outcome: 'failed', criteria: [{ executions: 1, exit: null }] });
  expect(verdict.summary).toContain('deadline: no end within 1.5s');
  expect(processesOf(v.folder)).toEqual([]);
  const baseline = await v.checks.baseline(v.request(definition, null));
  expect(baseline).toMatchObject({ baseline: 'unrunnable' });
});

test('CI is 1, input is closed and NODE_ENV is not inherited (L-D15, L-D16, L-G19)', async () => {
  v.remove();
  const env = { PATH: process.env['PATH'], NODE_ENV: 'production', CI: 'false', TOKEN: 'sk-1' };
  v = verifier({ env });
  const base = v.commit({ a: '1' });
  const work = v.commit({ a: '2' });
  const criteria = [check('cat; env', { kind: 'command' })];
  const definition = definitionWith(v.root, base, {
    criteria,
    env: { allow: ['NODE_ENV', 'TOKEN'], set: { CI: 'false', TZ: 'UTC' } },
    secrets: { TOKEN: 'env:TOKEN' },
  });
  const verdict = await v.checks.verify(v.request(definition, work));
  const output = await v.read(verdict.criteria[0]?.output ?? null);
  expect(output).toMatch(/^CI=1$/m);
  expect(output).toMatch(/^TZ=UTC$/m);
  expect(output).not.toMatch(/NODE_ENV|TOKEN|CI=false/);
});

test('a secret that is let through to a check is not in its output (XP-28, L-N1)', async () => {
  v.remove();
  v = verifier({ env: { PATH: process.env['PATH'], TOKEN: 'sk-of-the-driver' } });
  const base = v.commit({ a: '1' });
  const work = v.commit({ a: '2' });
  const started = { values: {}, withheld: ['TOKEN'] };
  const definition = definitionWith(v.root, base, {
    criteria: [check('env', { kind: 'command' })],
    env: { allow: ['TOKEN'], set: {}, started },
  });
  const verdict = await v.checks.verify(v.request(definition, work));
  const output = await v.read(verdict.criteria[0]?.output ?? null);
  expect(output).toMatch(/^TOKEN=\[redacted\]$/m);
});

test('a base that cannot run is refused in the words of the page, and never kept', async () => {
  const base = v.commit({ 'a.test.mjs': "import 'not-installed';\n" });
  const missing = definitionWith(v.root, base, { criteria: [check('vitest-not-there run')] });
  const baseline = await v.checks.baseline(v.request(missing, null));
  expect(baseline.baseline).toBe('unrunnable');
  expect(baseline.summary).toMatch(/^"vitest-not-there run" cannot run on [0-9a-f]{7}: exit 127: /);
  expect(baseline.summary).toContain('no setup command, so no dependencies there');
  const packages = await v.checks.baseline(v.request(definitionWith(v.root, base), null));
  expect(packages.baseline).toBe('unrunnable');
  expect(packages.summary).toContain("Cannot find package 'not-installed'");
});

test('a test of a file that is still to be written is a red base, not a broken one', async () => {
  const base = v.commit({ 'sum.test.mjs': test12 });
  const baseline = await v.checks.baseline(v.request(definitionWith(v.root, base), null));
  expect(baseline.baseline).toBe('red');
});

test('a pass over a tree equal to the base is missing evidence, unless allowed', async () => {
  const base = v.commit({ 'sum.mjs': sum('a + b'), 'sum.test.mjs': test12 });
  const same = v.commit({});
  const definition = definitionWith(v.root, base);
  const green = await v.checks.baseline(v.request(definition, null));
  expect(green).toMatchObject({ baseline: 'green', summary: 'passes already: node --test' });
  const verdict = await v.checks.verify(v.request(definition, same));
  expect(verdict.outcome).toBe('missing_evidence');
  expect(verdict.summary).toContain('the agent changed nothing');
  const allowed = definitionWith(v.root, base, { allowNoChange: true });
  expect((await v.checks.verify(v.request(allowed, same))).outcome).toBe('passed');
});

/** As a machine that is short of memory does, the first so many times. */
const killedTimes = (times: number, marks: string) =>
  `echo x >> ${marks}; [ $(wc -l < ${marks}) -gt ${times} ] || kill -9 $$`;

test.each([
  [1, 'passed', undefined],
  [2, 'failed', 'ended by SIGKILL'],
] as const)(
  'a check that others end %i times is run twice and has %s: its end was no word of it (RR-45)',
  async (times, outcome, reason) => {
    const base = v.commit({ a: '1' });
    const work = v.commit({ a: '2' });
    const criteria = [check(killedTimes(times, join(v.folder, 'seen')))];
    const definition = definitionWith(v.root, base, { criteria });
    const verdict = await v.checks.verify(v.request(definition, work));
    expect(verdict).toMatchObject({ outcome, criteria: [{ executions: 2, flaky: false }] });
    expect(verdict.criteria[0]?.reasons[0]).toBe(reason);
  },
);

test('setup and a check of the base that others end are run once more (RR-45)', async () => {
  const base = v.commit({ a: '1' });
  const criteria = [check(killedTimes(1, join(v.folder, 'checked')))];
  const command = killedTimes(1, join(v.folder, 'set-up'));
  const plain = definitionWith(v.root, base, { criteria });
  const workspace = { ...plain.workspace, setup: { command, timeoutMs: 60_000 } };
  const prepared = await v.checks.baseline(v.request({ ...plain, workspace }, null));
  expect(prepared).toMatchObject({ baseline: 'green', setup: 'done' });
});

test('a check that fails and then passes on the same commit is flaky and not passed', async () => {
  const base = v.commit({ a: '1' });
  const mark = `${v.folder}/seen`;
  const work = v.commit({ a: '2' });
  const command = `test -e ${mark} || { touch ${mark}; exit 1; }`;
  const definition = definitionWith(v.root, base, { criteria: [check(command)] });
  const verdict = await v.checks.verify(v.request(definition, work));
  expect(verdict).toMatchObject({
    outcome: 'failed',
    criteria: [{ flaky: true, executions: 2 }],
  });
  expect(verdict.summary).toContain('flaky');
  const predicate = await v.predicate(verdict.receipt);
  expect(predicate.criteria[0]).toMatchObject({ flaky: true, executions: 2 });
});

test('the first criterion that fails ends a verification; what was not reached is named (L-A9)', async () => {
  const base = v.commit({ a: '1' });
  const work = v.commit({ a: '2' });
  const criteria = [check('true'), check('false'), check(`touch ${v.folder}/reached`)];
  const definition = definitionWith(v.root, base, { criteria });
  const verdict = await v.checks.verify(v.request(definition, work));
  expect(verdict.outcome).toBe('failed');
  expect(verdict.criteria.map((one) => one.outcome)).toEqual(['passed', 'failed']);
  expect((await v.predicate(verdict.receipt)).notRun).toEqual([2]);
  expect(existsSync(`${v.folder}/reached`)).toBe(false);
});

test('the commit is judged, not the checkout, and not what lies there untracked (L-A14)', async () => {
  const base = v.commit({ 'ok.sh': shell('exit 1'), '.gitignore': 'build\n' });
  const work = v.commit({ 'other.txt': 'x' });
  v.commit({ 'ok.sh': shell('exit 0') });
  const definition = definitionWith(v.root, base, { criteria: [check('./ok.sh')] });
  expect((await v.checks.verify(v.request(definition, work))).outcome).toBe('failed');
  const leftovers = definitionWith(v.root, base, {
    criteria: [check('! test -e build && ! test -e left && mkdir build && touch left')],
  });
  for (const _ of [1, 2]) {
    expect((await v.checks.verify(v.request(leftovers, work))).outcome).toBe('passed');
  }
});

test('a changed check is named on a pass; restored, its old form decides (L-A11)', async () => {
  const manifest = (command: string) => JSON.stringify({ name: 'x', scripts: { test: command } });
  const base = v.commit({ 'package.json': manifest('exit 1'), 'golden/a': '1' });
  const work = v.commit({ 'package.json': manifest('true'), 'golden/a': '2' });
  const definition = definitionWith(v.root, base, {
    criteria: [check('npm test --silent')],
    protected: ['golden/**', 'package.json#scripts'],
  });
  const cheated = await v.checks.verify(v.request(definition, work));
  expect(cheated.criteria[0]?.reasons).toContain(
    'the check itself was changed: package.json#scripts.test',
  );
  const predicate = await v.predicate(cheated.receipt);
  expect(predicate.checkSource).toEqual([
    { what: 'package.json#scripts.test', before: 'exit 1', after: 'true', isRun: true },
  ]);
  expect(cheated.checkChanged).toEqual(['package.json#scripts.test']);
  expect(predicate.protected?.changed.map((one) => one.path)).toEqual([
    'golden/a',
    'package.json#scripts',
  ]);
  const restored = await v.checks.verify(v.request(definition, work, { restoreProtected: true }));
  expect(restored.outcome).toBe('failed');
  expect(restored.checkChanged).toBeUndefined();
  const after = await v.predicate(restored.receipt);
  expect(after.protected?.restored).toEqual(['golden/a', 'package.json#scripts']);
});

test('a script that the check leads to is part of it; put back, its old form decides (L-A11)', async () => {
  const base = v.commit({
    'package.json': JSON.stringify({ scripts: { test: 'npm run -s unit', unit: 'sh run.sh' } }),
    'run.sh': 'exit 1\n',
  });
  const work = v.commit({ 'run.sh': 'exit 0\n' });
  const definition = definitionWith(v.root, base, { criteria: [check('npm test --silent')] });
  const cheated = await v.checks.verify(v.request(definition, work));
  expect(cheated).toMatchObject({ outcome: 'passed', checkChanged: ['run.sh'] });
  const restored = await v.checks.verify(v.request(definition, work, { restoreProtected: true }));
  expect(restored.outcome).toBe('failed');
});

test('a file that the check only names may be the work itself (L-A11)', async () => {
  const base = v.commit({ answer: '0' });
  const work = v.commit({ answer: '42' });
  const definition = definitionWith(v.root, base, { criteria: [check('grep -q 42 answer')] });
  const verdict = await v.checks.verify(v.request(definition, work));
  expect(verdict.outcome).toBe('passed');
  expect(verdict.checkChanged).toBeUndefined();
});

test('fewer tests than on the base are no pass when test files were touched (L-A11, L-A23)', async () => {
  const suite = { 'tests/a': 'false', 'tests/b': 'true', other: '1' };
  const base = v.commit({
    ...suite,
    'run.sh':
      'p=0 f=0; for t in tests/*; do sh $t && p=$((p+1)) || f=$((f+1)); done; echo "$p passed, $f failed"; [ $f = 0 ]',
  });
  const definition = definitionWith(v.root, base, { criteria: [check('sh run.sh')] });
  await v.checks.baseline(v.request(definition, null));
  const judge = async (files: Record<string, string | null>) => {
    const work = v.commit({ ...suite, ...files });
    return v.checks.verify(v.request(definition, work));
  };
  const deleted = await judge({ 'tests/a': null });
  expect(deleted.outcome).toBe('failed');
  expect(deleted.summary).toContain('fewer tests than on the base: 1 of 2 ran');
  expect(deleted.criteria[0]?.reasons[0]).toContain('tests/a (deleted)');
  expect((await judge({ 'tests/a': 'true', other: '2' })).outcome).toBe('passed');
  const wanted = definitionWith(v.root, base, {
    criteria: [check('sh run.sh', { testsRunMoreThan: 0 })],
  });
  const work = v.commit({ ...suite, 'tests/a': null });
  expect((await v.checks.verify(v.request(wanted, work))).outcome).toBe('passed');
});

test('red first: a new test that also passes on the base proves nothing (L-A13)', async () => {
  const base = v.commit({ 'sum.mjs': sum('a - b'), 'other.test.mjs': "import 'node:test';\n" });
  const criteria = [check('node --test', { redFirst: true })];
  const definition = definitionWith(v.root, base, { criteria });
  const none = v.commit({ 'sum.mjs': sum('a + b') });
  const untested = await v.checks.verify(v.request(definition, none));
  expect(untested.criteria[0]?.reasons[0]).toContain('the change has no test');
  const idle = v.commit({
    'sum.test.mjs': "import { test } from 'node:test';\ntest('idle', () => {});\n",
  });
  const proven = await v.checks.verify(v.request(definition, idle));
  expect(proven.criteria[0]?.reasons[0]).toContain('also pass on the base commit');
  const real = v.commit({ 'sum.test.mjs': test12 });
  expect((await v.checks.verify(v.request(definition, real))).outcome).toBe('passed');
});

test('a project folder that the commit made a link out of the tree is not entered', async () => {
  const base = v.commit({ 'app/a': '1' });
  const project = { root: v.root, name: 'x', kind: 'user', cwd: 'app' } as const;
  v.commit({ app: null });
  symlinkSync(v.home, `${v.root}/app`);
  const work = v.commit({});
  const definition = definitionWith(v.root, base, { project, criteria: [check('true')] });
  const verdict = await v.checks.verify(v.request(definition, work));
  expect(verdict.outcome).toBe('failed');
  expect(verdict.criteria[0]?.reasons).toEqual(['the project folder leads out of the tree']);
});

test('fileExists looks inside the tree only (EV-17)', async () => {
  const base = v.commit({ a: '1' });
  symlinkSync('/etc/hostname', `${v.root}/out`);
  const work = v.commit({ 'docs/a.md': '' });
  const judge = async (path: string) => {
    const criteria = [{ kind: 'fileExists', path, timeoutMs: 1_000 }] as const;
    const definition = definitionWith(v.root, base, { criteria });
    return (await v.checks.verify(v.request(definition, work))).criteria[0];
  };
  expect(await judge('docs/a.md')).toMatchObject({ outcome: 'passed' });
  expect(await judge('docs/b.md')).toMatchObject({ reasons: ['docs/b.md is not there'] });
  expect(await judge('docs')).toMatchObject({ reasons: ['docs is not a file'] });
  expect(await judge('out')).toMatchObject({ reasons: ['out leads out of the tree'] });
  expect(await judge('../x')).toMatchObject({ outcome: 'failed' });
});

test('trouble of the machine is verifier_unavailable and spends no attempt (XP-27)', async () => {
  const base = v.commit({ a: '1' });
  const work = v.commit({ a: '2' });
  const definition = definitionWith(`${v.root}-gone`, base, { criteria: [check('true')] });
  const verdict = await v.checks.verify(v.request(definition, work));
  expect(verdict.outcome).toBe('verifier_unavailable');
  expect(verdict.receipt).toBeNull();
});

test('without git the folder itself is checked, and the receipt says shared', async () => {
  const definition = definitionWith(v.root, null, {
    source: { isolation: 'none', base: null, baseBranch: null, includeChanges: false },
    criteria: [check('test "$(pwd -P)" = "$PLACE"')],
    env: { allow: [], set: { PLACE: v.root } },
  });
  const request = v.request(definition, null, { directory: v.root });
  expect((await v.checks.baseline(request)).baseline).toBe('green');
  const verdict = await v.checks.verify(request);
  expect(verdict.outcome).toBe('passed');
  expect(await v.predicate(verdict.receipt)).toMatchObject({
    tree: 'shared',
    isolation: 'none',
    work: null,
  });
});

test('without git a changed script of the check and a protected file are named (L-A11)', async () => {
  writeFileSync(join(v.root, 'check.sh'), 'test -f done\n');
  writeFileSync(join(v.root, 'done'), '');
  writeFileSync(join(v.root, 'kept.txt'), '1');
  const definition = definitionWith(v.root, null, {
    source: { isolation: 'none', base: null, baseBranch: null, includeChanges: false },
    criteria: [check('sh check.sh')],
    protected: ['kept.*'],
  });
  const request = v.request(definition, null, { directory: v.root });
  await v.checks.baseline(request);
  expect((await v.checks.verify(request)).checkChanged).toBeUndefined();
  writeFileSync(join(v.root, 'check.sh'), 'true\n');
  writeFileSync(join(v.root, 'kept.txt'), '2');
  await v.checks.baseline(request);
  const verdict = await v.checks.verify(request);
  expect(verdict).toMatchObject({ outcome: 'passed', checkChanged: ['check.sh', 'kept.txt'] });
});

test('the recorded folder of a repository is compared with the base like any work', async () => {
  writeFileSync(join(v.root, 'check.sh'), 'false\n');
  const base = v.commit({ a: '1', 'check.sh': 'false\n' });
  const work = v.commit({ a: '1', 'check.sh': 'true\n' });
  const source = { isolation: 'none', base, baseBranch: 'main', includeChanges: false } as const;
  const definition = definitionWith(v.root, base, { source, criteria: [check('sh check.sh')] });
  writeFileSync(join(v.root, 'check.sh'), 'true\n');
  const verdict = await v.checks.verify(v.request(definition, work, { directory: v.root }));
  expect(verdict).toMatchObject({ outcome: 'passed', commit: work, checkChanged: ['check.sh'] });
});

test('in the own folder of a repository nothing is said of a commit, least of all of the base', async () => {
  const base = v.commit({ a: '1' });
  const source = { isolation: 'none', base, baseBranch: 'main', includeChanges: false } as const;
  const definition = definitionWith(v.root, base, { source, criteria: [check('test -f new')] });
  writeFileSync(join(v.root, 'new'), 'x');
  const verdict = await v.checks.verify(v.request(definition, null, { directory: v.root }));
  expect(verdict).toMatchObject({ outcome: 'passed', commit: null });
  expect(await v.predicate(verdict.receipt)).toMatchObject({ tree: 'shared', work: null });
});

test('output without end is bounded, its summary at the end still counts (L-I1, L-I2)', async () => {
  const base = v.commit({ a: '1' });
  const work = v.commit({ a: '2' });
  const noise = 'head -c 20000000 /dev/zero | tr "\\0" "é"; echo; echo "1..2"; echo "# pass 2"';
  const definition = definitionWith(v.root, base, { criteria: [check(noise)] });
  const verdict = await v.checks.verify(v.request(definition, work));
  expect(verdict).toMatchObject({ outcome: 'passed', criteria: [{ counts: { passed: 2 } }] });
  const output = await v.read(verdict.criteria[0]?.output ?? null);
  expect(output.length).toBeLessThan(300_000);
  expect(output).toContain('characters left out');
});
