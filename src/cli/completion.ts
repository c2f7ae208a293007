/** `pawl completion <shell>`: a script for the shell, and the runs that it asks for. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { RequestError } from '../kernel/errors.ts';
import type { Command, Context } from './command.ts';
import { bashScript } from './completion-bash.ts';
import { fishScript } from './completion-fish.ts';
import { type CompletionEntry, completionTable } from './completion-table.ts';
import { zshScript } from './completion-zsh.ts';
import { exits } from './exit.ts';
import { words as spoken } from './format.ts';

const scripts: Readonly<Record<string, (table: readonly CompletionEntry[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

export const command: Command = {
  name: 'completion',
  summary: 'Print a script that completes commands, flags and runs; `runs` prints what it offers.',
  arguments: { usage: 'bash|zsh|fish|runs', min: 1, max: 1 },
  flags: [],
  examples: [
    'source <(pawl completion bash)',
    'pawl completion fish > ~/.config/fish/completions/pawl.fish',
  ],
  run,
};

async function run(context: Context): Promise<number> {
  const [shell = ''] = context.given.words;
  if (shell === 'runs') return await runs(context);
  const script = scripts[shell];
  if (script === undefined) {
    throw new RequestError('bad_value', `there is no completion for "${shell}"`, {
      allowed: [...Object.keys(scripts), 'runs'].join(', '),
    });
  }
  const text = script(completionTable(await context.commands()));
  if (context.isJson) context.json({ schema: 'pawl.completion/1', shell, script: text });
  else context.io.stdout.write(text);
  return exits.done;
}

const runsMax = 100;

/** One line each: what may be typed, a tab, what it is. A key press makes no store. */
async function runs(context: Context): Promise<number> {
  const found = existsSync(join(context.options.home, 'store.db'))
    ? await (await context.client()).list({
        project: null,
        open: false,
        status: [],
        since: null,
        limit: runsMax,
        demo: false,
      })
    : [];
  const lines = found.map((view) => {
    const state = spoken(view.reason ?? view.phase ?? view.status);
    return { word: view.short, says: `${view.name}, ${state}` };
  });
  const names = found.filter(({ name }) => found.filter((one) => one.name === name).length === 1);
  const all = [...lines, ...names.map(({ name, short }) => ({ word: name, says: short }))];
  if (context.isJson) context.json({ schema: 'pawl.completion/1', runs: all });
  else context.print(all.map(({ word, says }) => `${word}\t${says}`));
  return exits.done;
}
