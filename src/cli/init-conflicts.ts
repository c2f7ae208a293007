/**
 * Flags of `pawl init` that say otherwise than the file that is there. What stands in the file is
 * the user's and is not changed by a flag; a flag is not dropped in silence either.
 */
import type { DefinitionFile } from '../contract/definition-file.ts';
import { splitArgv } from '../kernel/argv.ts';
import { RequestError } from '../kernel/errors.ts';
import type { Context } from './command.ts';

/** @throws RequestError `usage`: the flag, what the file says, and the line that replaces it. */
export function refuseIgnored(context: Context, file: string, known: DefinitionFile): void {
  const { given, called } = context;
  const conflict = [checks(given.list('check'), known), ...singles(context, known)].find(
    (one) => one !== null,
  );
  if (conflict === undefined || conflict === null) return;
  const { flag, key, found } = conflict;
  throw new RequestError('usage', `${file} says ${key} already; ${flag} would change nothing`, {
    found,
    next: `change it in ${file}   or  ${called} init --force ${typedFlags(context)}  writes the file anew`,
  });
}

interface Conflict {
  readonly flag: string;
  readonly key: string;
  readonly found: string;
}

function checks(told: readonly string[], { criteria }: DefinitionFile): Conflict | null {
  if (told.length === 0 || criteria === undefined) return null;
  const there = criteria.map((one) => String(Object.values(one)[0]));
  const isSame = there.length === told.length && there.every((line, i) => line === told[i]);
  return isSame ? null : { flag: '--check', key: 'its checks', found: there.join(' · ') };
}

function singles({ given }: Context, known: DefinitionFile): readonly (Conflict | null)[] {
  const agent = known.roles?.execute?.agent;
  const own = agent === undefined ? undefined : known.agents?.[agent];
  const command = own?.command ?? own?.acp ?? own?.pty;
  const words = splitArgv(given.text('agent-cmd') ?? '');
  const isSameCommand = words.ok && JSON.stringify(words.value) === JSON.stringify(command);
  const line = command?.join(' ') ?? agent;
  return [
    conflictOf('--setup', given.text('setup'), known.workspace?.setup?.run),
    conflictOf('--agent', given.text('agent'), agent),
    isSameCommand ? null : conflictOf('--agent-cmd', given.text('agent-cmd'), line),
  ];
}

function conflictOf(flag: string, told: string | null, there: string | undefined): Conflict | null {
  if (told === null || there === undefined || told === there) return null;
  return { flag, key: flag === '--setup' ? 'its setup' : 'its agent', found: there };
}

/** The flags as they were typed, without those that the advice gives anew. */
function typedFlags({ options }: Context): string {
  return options.argv
    .filter((word) => word !== 'init' && word !== '--force' && word !== '--json')
    .map((word) => (/[\s"]/.test(word) ? JSON.stringify(word) : word))
    .join(' ');
}
