import { RequestError } from '../kernel/errors.ts';
import type { RunView } from '../ports/client.ts';
import { noStory, tell } from '../ports/story.ts';
import { answer, type Command, type Context } from './command.ts';
import { exits } from './exit.ts';
import { lookOnce } from './follow.ts';

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
  if (view.worker !== undefined && view.branch !== null) throw await onWorker(context, view);
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

/** No path of that machine is printed as one of this: `cd "$(pawl path …)"` must not go astray. */
async function onWorker(context: Context, view: RunView): Promise<RequestError> {
  const { events } = await lookOnce(await context.client(), view.id, 0);
  const { name, id } = view.worker ?? { name: '', id: '' };
  const where = tell(noStory, events).directory;
  return new RequestError('no_worktree', `the worktree of ${view.short} lies on worker ${name}`, {
    where: `${name} (${id})${where === null ? '' : `: ${where}`}`,
    next:
      view.head === null
        ? `pawl show ${view.short}`
        : `git -C ${view.project} switch ${view.branch}`,
  });
}
