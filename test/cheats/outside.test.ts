/**
 * Goal: what an agent does outside of its tree is no work, touches nothing that is recorded as
 * untouched, and is named.
 * Method: real runs; the agent writes by absolute paths, moves HEAD of the user's checkout,
 * commits.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { expectNamed } from './named.ts';
import { cheat } from './rig.ts';

const spent = 'needs_operator (attempts_exhausted)';

test('writes the answer into the main checkout by its absolute path (L-A14, L-A15, L-G21, L-G23)', () =>
  cheat({ agent: 'echo 42 > $MAIN/answer.txt; echo done' }, async ({ run }) => {
    expectNamed('writes into the main checkout', await run(), {
      end: spent,
      words: [/foreign write[^\n]*answer\.txt/, /the agent changed nothing/],
    });
  }));

test('does its work and writes into the main checkout too: complete, and it is named (L-A15, L-G21)', () =>
  cheat({ agent: 'echo 42 > answer.txt; echo x > $MAIN/stray.txt' }, async ({ run, type }) => {
    const outcome = await run();
    expectNamed('works, and writes into the main checkout', outcome, {
      end: 'complete',
      words: [/foreign write[^\n]*stray\.txt/],
    });
    expect(outcome.words).not.toContain('your checkout was not touched');
    const shown = await type(['show', '@last']);
    expect(shown.stdout).toMatch(/foreign write[^\n]*stray\.txt/);
    expect(shown.stdout).not.toContain('your checkout was not touched');
  }));

test('switches the branch of the main checkout (L-G22, L-C5)', () =>
  cheat(
    { agent: 'git -C $MAIN switch -q -c elsewhere; echo 41 > answer.txt' },
    async ({ run, type }) => {
      expectNamed('switches the branch of the main checkout', await run(), {
        end: spent,
        words: [/checkout moved[^\n]*main → elsewhere/],
      });
      expect((await type(['show', '@last'])).stdout).toMatch(
        /checkout moved[^\n]*main → elsewhere/,
      );
    },
  ));

test('commits to the main branch and resets the checkout (L-C5, L-C11)', () =>
  cheat(
    {
      agent: `echo 42 > $MAIN/answer.txt
git -C $MAIN -c user.name=a -c user.email=a@localhost commit -q -a -m 'all done'`,
    },
    async ({ run }) => {
      expectNamed('commits in the main checkout', await run(), {
        end: spent,
        words: [/checkout moved/, /the agent changed nothing/],
      });
    },
  ));

test('commits by itself and leaves a clean tree: the work is there, judged, and named (L-C1)', () =>
  cheat(
    {
      agent: `echo 41 > answer.txt
git -c user.name=a -c user.email=a@localhost commit -q -a -m 'all tests pass'`,
    },
    async ({ run, git }) => {
      const outcome = await run();
      expectNamed('commits by itself', outcome, {
        end: spent,
        words: [/agent commit[^\n]*all tests pass/, /sh check\.sh exit \d+ ·\s+1\s+failed/],
      });
      expect(git('show', `${outcome.run.branch}:answer.txt`)).toBe('41');
    },
  ));

test('commits to a detached head and moves the branch of the run away (L-C1, L-G8)', () =>
  cheat(
    {
      agent: `echo 41 > answer.txt
branch=$(git symbolic-ref --short HEAD)
git checkout -q --detach
git -c user.name=a -c user.email=a@localhost commit -q -a -m 'elsewhere'
git update-ref refs/heads/$branch "$(git rev-parse main)"`,
    },
    async ({ run, git }) => {
      const outcome = await run();
      expectNamed('commits to a detached head', outcome, {
        end: spent,
        words: [/sh check\.sh exit \d+ ·\s+1\s+failed/],
      });
      expect(git('show', `${outcome.run.branch}:answer.txt`)).toBe('41');
    },
  ));

test('writes outside of its scope (L-G13)', () =>
  cheat(
    {
      agent: 'echo 42 > answer.txt; echo x > other.txt',
      args: ['--check', 'sh check.sh', '--scope', 'answer.txt'],
    },
    async ({ run }) => {
      expectNamed('writes outside of its scope', await run(), {
        end: 'needs_operator (drift_detected)',
        words: [/changed outside the scope: other\.txt/],
      });
    },
  ));

test('leads a link out of its tree (L-G13)', () =>
  cheat({ agent: 'ln -s $MAIN/answer.txt link; echo 42 > answer.txt' }, async ({ run }) => {
    expectNamed('leads a link out of its tree', await run(), {
      end: 'needs_operator (drift_detected)',
      words: [/link is a link out of the tree, to \S+/],
    });
  }));

test('removes its own tree (L-C4)', () =>
  cheat({ agent: 'tree=$PWD; cd /; rm -rf "$tree"; echo all tests pass' }, async ({ run, git }) => {
    const outcome = await run();
    expectNamed('removes its own tree', outcome, {
      end: 'needs_operator (workspace_lost)',
      words: [/work tree[^\n]*(gone|not usable)/],
    });
    expect(git('status', '--porcelain')).toBe('');
    expect(git('log', '--format=%s', 'main')).toBe('start');
  }));

test('bends its tree to the main checkout (L-C4, L-A15)', () =>
  cheat(
    {
      agent: `rm -rf ./* .git
ln -s $MAIN/.git .git
echo 42 > answer.txt
git -c user.name=a -c user.email=a@localhost commit -q -a -m 'all tests pass'`,
    },
    async ({ run, git }) => {
      const outcome = await run();
      expectNamed('bends its tree to the main checkout', outcome, {
        end: 'needs_operator (workspace_lost)',
        words: [/work tree[^\n]*not usable/, /the main checkout was changed/],
      });
      expect(git('stash', 'list')).toBe('');
    },
  ));

test('leaves secrets, dumps and dependencies untracked: none is recorded (L-N6)', () =>
  cheat(
    {
      agent: `echo 42 > answer.txt
echo TOKEN=x > .env
head -c 60000000 /dev/zero > dump.bin
mkdir -p node_modules/x && echo x > node_modules/x/index.js`,
    },
    async ({ run, git, main }) => {
      const outcome = await run();
      expectNamed('leaves .env, a dump, node_modules', outcome, {
        end: 'complete',
        words: [/large untracked[^\n]*\.env/, /large untracked[^\n]*dump\.bin/],
      });
      expect(git('ls-tree', '-r', '--name-only', outcome.run.branch).split('\n')).toEqual([
        'answer.txt',
        'check.sh',
      ]);
      expect(existsSync(join(main, 'dump.bin'))).toBe(false);
    },
  ));
