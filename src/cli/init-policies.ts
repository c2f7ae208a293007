/** The two questions of `pawl init` on what the agent may do, and on who is told (UX 1.2). */
import type { DefinitionFile } from '../contract/definition-file.ts';
import { usualPermissions } from '../contract/known-agents.ts';
import { targetOf } from '../contract/notify.ts';
import { ask } from './ask.ts';
import type { Context } from './command.ts';

export type Permissions = NonNullable<DefinitionFile['permissions']>;
export type NotifyTo = NonNullable<DefinitionFile['notify']>['to'];

const modes: readonly Permissions[] = ['workspace', 'trusted', 'ask'];

/**
 * What the agent cannot be held to is refused with the reason: one that is started as a command is
 * never asked by us, so that `trusted` is the only answer that can be kept for it.
 */
export async function askForPermissions(
  context: Context,
  held: readonly Permissions[],
): Promise<Permissions> {
  const why =
    held.length > 1
      ? 'this agent has nobody to ask'
      : 'an agent that is started as a command never asks';
  return await ask(context, {
    text: 'May it run commands without asking?',
    bracket: usualPermissions(held),
    help: [
      "    workspace  edits in its worktree; commands inside the agent's own sandbox; anything else is denied and it is told so",
      '    trusted    any command, as you. A worktree is not a sandbox',
      '    ask        you approve commands; the run waits for you, also at night',
      ...(held.length > 1
        ? []
        : [
            '    An agent that is started as a command never asks; only trusted can be kept for it.',
          ]),
    ],
    read: (answer) => {
      const mode = modes.find((each) => each === answer);
      if (mode === undefined) return 'workspace, trusted or ask';
      return held.includes(mode) ? { value: mode } : `${why}; pawl cannot hold it to \`${mode}\``;
    },
  });
}

/** Empty: nobody is told. */
export async function askWhomToTell(context: Context): Promise<NotifyTo> {
  return await ask(context, {
    text: 'Tell you where, when it needs you?',
    bracket: usualPlace(context),
    help: [
      '    desktop                         a notice on this screen',
      '    ntfy:https://ntfy.sh/my-topic   a topic of an ntfy server, also on a phone',
      '    webhook:https://…               a request to that address; webhook:env:NAME hides it',
      '    command:./notify.sh             any command; it gets the notice as JSON on stdin',
      '    nowhere                         pawl status says it all the same',
    ],
    read: (answer) => {
      if (answer === 'nowhere') return { value: [] };
      if (targetOf(answer) !== null) return { value: [answer] };
      return 'desktop, ntfy:https://…, webhook:https://…, command:… or nowhere';
    },
  });
}

/** What Enter, and `-y`, stand for: no desktop is promised where none can be seen. */
export function usualPlace({ options: { env } }: Context): 'desktop' | 'nowhere' {
  const signs = ['DISPLAY', 'WAYLAND_DISPLAY', '__CF_USER_TEXT_ENCODING'];
  const isSeen = signs.some((name) => (env[name] ?? '') !== '') || env['OS'] === 'Windows_NT';
  return isSeen ? 'desktop' : 'nowhere';
}
