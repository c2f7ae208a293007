/** What the work may put beside a check so that it passes: each waits for a human, by name. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { check, definitionWith, type Files, verifier } from '../../test/support/verifier.ts';

vi.setConfig({ testTimeout: 60_000 });

let v: ReturnType<typeof verifier>;
beforeEach(() => {
  v = verifier();
});
afterEach(() => v.remove());

const make = check('make test');
const npm = check('npm test --silent');
const manifest = JSON.stringify({ name: 'x', scripts: { test: 'echo 1 passed' } });

/** Base, and what the verdict of the work laid over it says was changed of the check. */
async function changedBy(base: Files, work: Files, one = npm): Promise<readonly string[]> {
  const at = v.commit(base);
  v.commit(work);
  v.git('add', '-Af');
  v.git('commit', '-q', '--allow-empty', '-m', 'work');
  const commit = v.git('rev-parse', 'HEAD') as typeof at;
  const verdict = await v.checks.verify(
    v.request(definitionWith(v.root, at, { criteria: [one] }), commit),
  );
  expect(verdict.outcome, verdict.summary).toBe('passed');
  return verdict.checkChanged ?? [];
}

test.each<readonly [string, Files, readonly string[]]>([
  [
    'a program that stands before the real one',
    { 'node_modules/.bin/node': '#!/bin/sh\n' },
    ['node_modules/.bin/node'],
  ],
  ['a folder that the base ignores', { 'env/bin/tool': '#!/bin/sh\n' }, ['env/bin/tool']],
  ['one below it', { 'packages/a/out/x.js': '1' }, ['packages/a/out/x.js']],
  ['many', Object.fromEntries([1, 2, 3, 4, 5].map((n) => [`.venv/lib/${n}.py`, ''])), ['.venv/**']],
])('what the work plants in an environment waits for a human: %s', async (_, work, named) => {
  const base = { 'package.json': manifest, '.gitignore': 'env/\n/packages/*/out\n!keep/\n' };
  expect(await changedBy(base, { ...work, 'keep/a': '1' })).toEqual(named);
});

test('what the base itself tracks in such a folder is the work of the project', async () => {
  const base = { 'package.json': manifest, 'node_modules/a/index.js': '1' };
  const work = { 'node_modules/a/index.js': '2', 'node_modules/b/index.js': '1' };
  expect(await changedBy(base, work)).toEqual([]);
});

const settings = [
  ...['.cargo/config.toml', '.mocharc.json', '.npmrc', '.pnpmfile.cjs', '.yarnrc.yml'],
  ...['bunfig.toml', 'packages/a/jest.config.js', 'pytest.ini', 'setup.cfg', 'tests/conftest.py'],
  ...['tox.ini', 'vitest.config.mts'],
];

test('new settings of tools are changes of the check; new tests are none (L-A11)', async () => {
  const work = { 'test/new.test.js': '', 'src/a.js': '', 'src/vite.ts': '' };
  const added = Object.fromEntries(settings.map((path) => [path, '']));
  const named = await changedBy({ 'package.json': manifest }, { ...work, ...added });
  expect([...named].sort()).toEqual(settings);
});

test('settings of a runner inside the manifest are settings too', async () => {
  const work = { 'package.json': JSON.stringify({ ...JSON.parse(manifest), jest: { bail: 1 } }) };
  expect(await changedBy({ 'package.json': manifest }, work)).toEqual(['package.json#jest']);
});

const makefile =
  'RUN := ./run-tests\n.PHONY: test\ntest: unit\nunit:\n\t@$(RUN) --all\nserve:\n\tnode app.js\n';
const project = {
  Makefile: makefile,
  'run-tests': '#!/bin/sh\n. ./lib.sh\nif ./one-test; then ./greet; fi\n',
  'lib.sh': ':\n',
  'one-test': '#!/bin/sh\ntrue\n',
  greet: '#!/bin/sh\ntrue\n',
  'app.js': '',
};

test.each<readonly [string, Files, readonly string[]]>([
  ['a makefile that make prefers', { GNUmakefile: 'test:\n\t@echo 1 passed\n' }, ['GNUmakefile']],
  ['the program of a recipe', { 'run-tests': '#!/bin/sh\necho 1 passed\n' }, ['run-tests']],
  ['a script of that program', { 'one-test': '#!/bin/sh\n: 2\n' }, ['one-test']],
  ['what that program reads in', { 'lib.sh': 'exit 0\n' }, ['lib.sh']],
  ['not the program that it tries', { greet: '#!/bin/sh\n: 2\n' }, []],
  ['not what another target runs', { 'app.js': '2' }, []],
])('recipes are followed: %s (L-A11)', async (_, work, named) => {
  expect(await changedBy(project, work, make)).toEqual(named);
});

test('make is followed through the scripts of the manifest', async () => {
  const scripts = JSON.stringify({ scripts: { test: 'make test' } });
  const base = { ...project, 'package.json': scripts };
  expect(await changedBy(base, { 'one-test': '#!/bin/sh\n: 2\n' })).toEqual(['one-test']);
});

test('counts that the base reported and that are gone are no pass (L-A23)', async () => {
  const base = v.commit({ run: 'echo "1 passed, 1 failed"; exit 1' });
  const definition = definitionWith(v.root, base, { criteria: [check('sh run')] });
  await v.checks.baseline(v.request(definition, null));
  const judge = async (files: Files) =>
    v.checks.verify(v.request(definition, v.commit({ ...files })));
  const silent = await judge({ run: 'true' });
  expect(silent.outcome).toBe('missing_evidence');
  expect(silent.criteria[0]?.reasons).toContain(
    'no report of tests, where the base reported 2: what ran is not known',
  );
  expect(silent.summary).toContain('no report of tests');
  expect((await judge({ run: 'echo 2 passed' })).outcome).toBe('passed');
});
