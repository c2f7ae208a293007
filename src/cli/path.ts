import { RequestError } from '../kernel/errors.ts';
import { answer, type Command, type Context } from './command.ts';
import { exits } from './exit.ts';

export const command: Command = {
  name: 'path',
  summary: 'Print where the worktree of a run lies.',
  arguments: { usage: '<run>', min: 1, max: 1 },
  flags: [],
  examples: ['cd "$(pawl path p0ne)"'],
  run,
};

async function run(context: Context): Promise<number> {
  const view = await context.find(context.given.words[0] ?? '');
  const directory =
    view.branch === null
      ? view.project
      : await (await context.workspace()).locate(view.project, view.branch);
  if (directory === null) {
    throw new RequestError(
      'no_worktree',
      `${view.short} has no worktree (not made yet, or removed)`,
      {
        next:
          view.branch === null
            ? `pawl show ${view.short}`
            : `git -C ${view.project} switch ${view.branch}`,
      },
    );
  }
  answer(context, [directory], { schema: 'pawl.path/1', worktree: directory, branch: view.branch });
  return exits.done;
}
