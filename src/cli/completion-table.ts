/** What may be typed, in the form that the scripts of every shell are made of. */
import { aliasOf, commandRows } from './commands.ts';
import { type ArgumentSpec, type FlagSpec, globalFlags } from './parse.ts';

export interface CompletionEntry {
  /** As typed: `run`, `config show`; empty: before any verb. */
  readonly verb: string;
  /** Flags that are honoured, those of every command too. */
  readonly flags: readonly FlagSpec[];
  /** What follows the verb: runs of the store, files, or one of these words. */
  readonly follows: 'runs' | 'files' | readonly Word[];
}
export interface Word {
  readonly word: string;
  readonly says: string;
}

/** Loads every command; only the script needs that, never a press of the key. */
export async function completionTable(): Promise<readonly CompletionEntry[]> {
  const honoured = (flags: readonly FlagSpec[]): readonly FlagSpec[] =>
    [...flags, ...globalFlags].filter(({ later }) => later === undefined);
  const entries = await Promise.all(
    commandRows.map(async ({ name, load }) => {
      const command = await load();
      const follows = followsOf(command.arguments);
      return { verb: name, flags: honoured(command.flags), follows };
    }),
  );
  const groups = [...new Set(commandRows.flatMap(({ name }) => name.match(/^\S+(?= )/) ?? []))];
  const first: CompletionEntry = { verb: '', flags: honoured([]), follows: firstWords() };
  const aliases = [...aliasOf].flatMap(([verb, name]) =>
    entries.filter((entry) => entry.verb === name).map((entry) => ({ ...entry, verb })),
  );
  return [
    first,
    ...aliases,
    ...groups.map((verb) => ({ verb, flags: honoured([]), follows: secondWords(verb) })),
    ...entries,
  ];
}

function firstWords(): readonly Word[] {
  const words = commandRows.map(({ name, says }) => {
    const [word = '', second] = name.split(' ');
    return { word, says: second === undefined ? says : secondsOf(word) };
  });
  const aliases = [...aliasOf].map(([word, name]) => ({ word, says: `short for ${name}` }));
  const all = [...words, ...aliases];
  return all.filter(({ word }, i) => all.findIndex((other) => other.word === word) === i);
}

const secondsOf = (verb: string): string =>
  secondWords(verb)
    .map(({ word }) => word)
    .join(', ');

function secondWords(verb: string): readonly Word[] {
  return commandRows
    .filter(({ name }) => name.startsWith(`${verb} `))
    .map(({ name, says }) => ({ word: name.slice(verb.length + 1), says }));
}

/** Read off the usage that the help prints, so that the two cannot differ. */
function followsOf({ usage, words }: ArgumentSpec): CompletionEntry['follows'] {
  if (words !== undefined) return words.map((word) => ({ word, says: '' }));
  if (/[<[]run\b/.test(usage)) return 'runs';
  if (usage.startsWith('<file>')) return 'files';
  if (!/^\w[\w-]*( \||\|)/.test(usage)) return [];
  return usage.split('|').map((each) => ({ word: each.trim().split(' ')[0] ?? '', says: '' }));
}

/** Dashes and all, as typed. */
export const spellings = ({ name, short }: FlagSpec): readonly string[] =>
  short === undefined ? [`--${name}`] : [`-${short}`, `--${name}`];

/** A file, a folder, one of some words, or something that nobody can guess. */
export function valuesOf(flag: FlagSpec): 'files' | 'folders' | readonly string[] | null {
  if (flag.oneOf !== undefined) return flag.oneOf;
  if (flag.value === 'dir') return 'folders';
  return flag.value !== undefined && /^(?:path|pem|file)\b/.test(flag.value) ? 'files' : null;
}

/** Flags by name, each with the values that may follow it; no name twice. */
export function valueRules(table: readonly CompletionEntry[]): readonly ValueRule[] {
  const rules = table.flatMap(({ verb, flags }) =>
    flags.flatMap((flag) => {
      const values = flag.kind === 'switch' ? null : valuesOf(flag);
      return values === null ? [] : spellings(flag).map((name) => ({ verb, name, values }));
    }),
  );
  const keyOf = ({ verb, name }: ValueRule): string => `${verb} ${name}`;
  return rules.filter((rule, i) => rules.findIndex((one) => keyOf(one) === keyOf(rule)) === i);
}
export interface ValueRule {
  readonly verb: string;
  readonly name: string;
  readonly values: 'files' | 'folders' | readonly string[];
}
