/** The three projects, as real repositories: what lands in the morning lands in them. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Commit, RunId } from '../../../src/domain/ids.ts';
import { workBranch } from '../../../src/ports/tree-name.ts';
import type { Place, Task } from './story.ts';

export interface Projects {
  readonly places: Readonly<Record<Task['project'], Place>>;
  /** What an attempt changed, as a commit on the branch of its run; the checkout stays as it is. */
  commit(task: Task, run: string, attempt: number): Commit;
  /** The user goes on working on main. */
  moveMain(project: Task['project'], commits: number): void;
}

const someday = '2026-03-03T12:00:00Z';
const identity = { NAME: 'me', EMAIL: 'me@example.com', DATE: someday };

export function makeProjects(folder: string): Projects {
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    GIT_CONFIG_NOSYSTEM: '1',
    ...Object.fromEntries(
      Object.entries(identity).flatMap(([key, value]) => [
        [`GIT_AUTHOR_${key}`, value],
        [`GIT_COMMITTER_${key}`, value],
      ]),
    ),
  };
  const git = (cwd: string, args: readonly string[], input = ''): string =>
    execFileSync('git', args, { cwd, env, input, encoding: 'utf8' }).trim();
  const make = (name: string): Place => {
    const made = join(folder, name);
    mkdirSync(join(made, 'src'), { recursive: true });
    const root = realpathSync(made);
    git(root, ['init', '-q', '-b', 'main']);
    writeFileSync(join(root, 'src', 'main.ts'), 'one\ntwo\nthree\n');
    git(root, ['add', '-A']);
    git(root, ['commit', '-qm', 'start']);
    return { root, base: git(root, ['rev-parse', 'HEAD']) };
  };
  const places = { dates: make('dates'), web: make('web'), api: make('api') };
  return {
    places,
    commit: (task, run, attempt) => {
      const { root, base } = places[task.project];
      const text = `one\n${task.name} ${attempt}\nthree\nfour\n`;
      const blob = git(root, ['hash-object', '-w', '--stdin'], text);
      const main = git(root, ['mktree'], `100644 blob ${blob}\tmain.ts\n`);
      const other = git(root, ['hash-object', '-w', '--stdin'], `${task.goal}\n`);
      const tree = git(
        root,
        ['mktree'],
        `100644 blob ${other}\tNOTES.md\n040000 tree ${main}\tsrc\n`,
      );
      const made = git(root, ['commit-tree', tree, '-p', base, '-m', `attempt ${attempt}`]);
      git(root, ['update-ref', `refs/heads/${workBranch(task.name, run as RunId)}`, made]);
      return made as Commit;
    },
    moveMain: (project, commits) => {
      const { root } = places[project];
      for (let n = 1; n <= commits; n += 1) {
        git(root, ['commit', '-q', '--allow-empty', '-m', `meanwhile ${n}`]);
      }
    },
  };
}
