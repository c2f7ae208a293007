import { afterEach, expect, test } from 'vitest';
import { fixtureAt, temporary } from '../../test/support/repositories.ts';
import { emptyCommit, firstRepository } from './first-commit.ts';
import { gitWorkspace } from './workspace.ts';

const folders: { remove(): void }[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) folder.remove();
});
function folder() {
  const made = temporary();
  folders.push(made);
  return fixtureAt(made.path);
}
const env = { PATH: process.env['PATH'], HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1' };

test('a first repository holds everything that is not ignored, signed by somebody', async () => {
  const fixture = folder();
  fixture.write('.gitignore', '.env\n');
  fixture.write('.env', 'KEY=1\n');
  fixture.write('a.txt', 'a\n');
  await firstRepository(fixture.root, env);
  expect(fixture.git('ls-files').split('\n')).toEqual(['.gitignore', 'a.txt']);
  expect(fixture.git('log', '--format=%an %s', 'main')).toBe('pawl Start');
});

test('an empty first commit leaves index and files as they are', async () => {
  const fixture = folder();
  fixture.git('init', '-q', '-b', 'main');
  fixture.git('config', 'user.email', 'ada@example.org');
  fixture.git('config', 'user.name', 'Ada');
  fixture.write('a.txt', 'a\n');
  fixture.git('add', 'a.txt');
  await emptyCommit(fixture.root, env);
  expect(fixture.git('ls-tree', '-r', '--name-only', 'HEAD')).toBe('');
  expect(fixture.git('status', '--porcelain')).toBe('A  a.txt');
});

test('ignored are those that git ignores and does not track (L-G17)', async () => {
  const fixture = folder();
  fixture.git('init', '-q', '-b', 'main');
  fixture.write('.env.shared', 'A=1\n');
  fixture.commit('one');
  fixture.write('.gitignore', '.env*\n');
  fixture.write('.env', 'KEY=1\n');
  const workspace = gitWorkspace({ home: `${fixture.root}/../none`, env });
  expect(await workspace.ignored(fixture.root, ['.env', '.env.shared', 'a.txt'])).toEqual(['.env']);
  expect(await workspace.ignored(fixture.root, ['a.txt'])).toEqual([]);
  expect(await workspace.ignored(fixture.root, [])).toEqual([]);
});
