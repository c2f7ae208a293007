/** Every command by name, its line of the overview, and how to load it: only the typed one is. */
import { nearest } from '../contract/nearest.ts';
import type { Command, ListedCommand } from './command.ts';

export type Group = 'Start' | 'Look' | 'Decide (operator)' | 'Steer' | 'Set up';

export interface CommandRow {
  readonly name: string;
  readonly group: Group;
  readonly says: string;
  readonly load: () => Promise<Command>;
}

const row = (
  group: Group,
  name: string,
  says: string,
  load: () => Promise<{ readonly command: Command }>,
): CommandRow => ({ group, name, says, load: async () => (await load()).command });

export const commandRows: readonly CommandRow[] = [
  row('Start', 'init', 'find checks and agents here, write pawl.yaml', () => import('./init.ts')),
  row('Start', 'run', 'pursue a goal until its checks pass', () => import('./run.ts')),
  row(
    'Start',
    'demo',
    'watch it work on a small project; needs no model',
    () => import('./demo.ts'),
  ),
  row('Look', 'status', 'what needs you, what is ready, what works', () => import('./status.ts')),
  row('Look', 'list', 'the flat table, for scripts', () => import('./list.ts')),
  row('Look', 'show', 'one run: attempts, receipt, history, escalation', () => import('./show.ts')),
  row('Look', 'watch', 'the live view of a run', () => import('./watch.ts')),
  row('Look', 'wait', 'block until runs are no longer active', () => import('./wait.ts')),
  row('Look', 'logs', 'what the lane and the checks printed', () => import('./logs.ts')),
  row(
    'Look',
    'attach',
    "the lane's own terminal, read-only; Ctrl-] leaves",
    () => import('./attach.ts'),
  ),
  row('Look', 'diff', 'what changed', () => import('./diff.ts')),
  row('Look', 'path', 'where the worktree of a run lies', () => import('./path.ts')),
  row('Decide (operator)', 'approve', 'it is good', () => import('./approve.ts')),
  row('Decide (operator)', 'reject', 'not yet, and why', () => import('./reject.ts')),
  row('Decide (operator)', 'answer', "answer the agent's question", () => import('./answer.ts')),
  row('Decide (operator)', 'resume', 'go on, with a grant', () => import('./resume.ts')),
  row('Decide (operator)', 'consult', 'opinions on a parked run', () => import('./consult.ts')),
  row('Decide (operator)', 'accept', 'take it as it is (overridden)', () => import('./accept.ts')),
  row('Decide (operator)', 'land', 'bring verified work to a branch', () => import('./land.ts')),
  row('Decide (operator)', 'prune', 'remove what is safe to remove', () => import('./prune.ts')),
  row('Steer', 'hint', 'add context for the next turn', () => import('./hint.ts')),
  row('Steer', 'pause', 'stop after the turn', () => import('./pause.ts')),
  row('Steer', 'cancel', 'end it; the work is kept', () => import('./cancel.ts')),
  row('Steer', 'retry', 'a new run, with another definition', () => import('./retry.ts')),
  row('Set up', 'checks', 'what is found here, and can it run', () => import('./checks.ts')),
  row(
    'Set up',
    'config check',
    'read pawl.yaml and say what is wrong',
    () => import('./config-check.ts'),
  ),
  row(
    'Set up',
    'config show',
    'the canonical definition, and where it came from',
    () => import('./config-show.ts'),
  ),
  row(
    'Set up',
    'config schema',
    'the JSON Schema of pawl.yaml',
    () => import('./config-schema.ts'),
  ),
  row(
    'Set up',
    'config path',
    'which files of settings are read here',
    () => import('./config-path.ts'),
  ),
  row(
    'Set up',
    'audit verify',
    'check the hash chain of every stream',
    () => import('./audit-verify.ts'),
  ),
  row(
    'Set up',
    'artifact verify',
    'check a receipt, also as a stranger',
    () => import('./artifact-verify.ts'),
  ),
  row('Set up', 'artifact get', 'an artifact by its digest', () => import('./artifact-get.ts')),
  row(
    'Set up',
    'db status',
    'the store: where, its format, its size',
    () => import('./db-status.ts'),
  ),
  row('Set up', 'db migrate', 'bring the store to this version', () => import('./db-migrate.ts')),
  row(
    'Set up',
    'db copy',
    'the store of this machine into PostgreSQL',
    () => import('./db-copy.ts'),
  ),
  row(
    'Set up',
    'db archive',
    'ended runs out of the store, into files',
    () => import('./db-archive.ts'),
  ),
  row('Set up', 'doctor', 'what may go wrong here', () => import('./doctor.ts')),
  row('Set up', 'service', 'the driver at login and after a reboot', () => import('./service.ts')),
  row('Set up', 'serve', 'driver and HTTP endpoints in one process', () => import('./serve.ts')),
  row('Set up', 'operator', 'tokens that pass gates for you', () => import('./operator.ts')),
  row('Set up', 'worker', 'do the work of a server on this machine', () => import('./worker.ts')),
  row('Set up', 'completion', 'of bash, zsh and fish', () => import('./completion.ts')),
  row('Set up', 'help', 'exit-codes, states, config, environment', () => import('./help.ts')),
];

/** Other names of commands, which the overview does not list. */
export const aliasOf: ReadonlyMap<string, string> = new Map([['ls', 'list']]);

const noOperatorUi = {
  says: 'the operator UI is opened by ui, which this version does not have; status is the page',
  next: 'pawl status',
};

/** Words that other tools use, and what they are here (UX 2.1). */
export const foreignWords: ReadonlyMap<string, { readonly says: string; readonly next: string }> =
  new Map([
    [
      'stop',
      {
        says: 'pause (can be resumed) or cancel (ends it; the work is kept)',
        next: 'pawl pause <run>   or  pawl cancel <run>',
      },
    ],
    ['merge', { says: 'verified work is brought to a branch by land', next: 'pawl land <run>' }],
    ['apply', { says: 'verified work is brought to a branch by land', next: 'pawl land <run>' }],
    ['continue', { says: 'a paused or parked run goes on by resume', next: 'pawl resume <run>' }],
    [
      'kill',
      {
        says: 'a run is ended at once by cancel --now; the work is kept',
        next: 'pawl cancel <run> --now',
      },
    ],
    ['tail', { says: 'the lane is followed by logs -f', next: 'pawl logs <run> -f' }],
    ['clean', { says: 'what is safe to remove is removed by prune', next: 'pawl prune' }],
    ['web', noOperatorUi],
    ['dashboard', noOperatorUi],
    ['stats', { says: 'costs are a column of list', next: 'pawl list --cost' }],
    ['cost', { says: 'costs are a column of list', next: 'pawl list --cost' }],
  ]);

/** The command that the words begin with, one or two of them; null when there is none. */
export async function findCommand(
  words: readonly string[],
): Promise<{ readonly command: Command; readonly used: number } | null> {
  const [first = '', second = ''] = words;
  const two = commandRows.find(({ name }) => name === `${first} ${second}`);
  if (two !== undefined) return { command: await two.load(), used: 2 };
  const name = aliasOf.get(first) ?? first;
  const one = commandRows.find((candidate) => candidate.name === name);
  return one === undefined ? null : { command: await one.load(), used: 1 };
}

export async function everyCommand(): Promise<readonly ListedCommand[]> {
  return await Promise.all(
    commandRows.map(async ({ name, says, load }) => {
      const aliases = [...aliasOf].filter(([, of]) => of === name).map(([alias]) => alias);
      return { name, says, aliases, command: await load() };
    }),
  );
}

/** The command nearest to what was typed, of one word or of two; null when none is near. */
export function nearestCommand(typed: string, then = ''): string | null {
  const names = commandRows.map(({ name }) => name);
  const firsts = names.map((name) => name.split(' ')[0] ?? name);
  const first = firsts.includes(typed) ? typed : nearest(typed, [...firsts, ...aliasOf.keys()]);
  const group = names.filter((name) => name.startsWith(`${first} `));
  if (group.length === 0) return first;
  const seconds = group.map((name) => name.slice(`${first} `.length));
  return `${first} ${nearest(then, seconds) ?? seconds[0] ?? ''}`.trimEnd();
}
