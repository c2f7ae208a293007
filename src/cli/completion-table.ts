/** What may be typed, in the form that the scripts of every shell are made of. */
import type { ListedCommand } from './command.ts';
import { type ArgumentSpec, type FlagSpec, flagsOf } from './parse.ts';

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

export function completionTable(commands: readonly ListedCommand[]): readonly CompletionEntry[] {
  const honoured = (flags: readonly FlagSpec[]): readonly FlagSpec[] =>
    flagsOf(flags).filter(({ later }) => later === undefined);
  const entries = commands.flatMap(({ name, aliases, command }) =>
    [name, ...aliases].map((verb) => ({
      verb,
      flags: honoured(command.flags),
      follows: followsOf(command.arguments),
    })),
  );
  const groups = [...new Set(commands.flatMap(({ name }) => name.match(/^\S+(?= )/) ?? []))];
  const first: CompletionEntry = { verb: '', flags: honoured([]), follows: firstWords(commands) };
  return [
    first,
    ...groups.map((verb) => ({
      verb,
      flags: honoured([]),
      follows: secondWords(commands, verb),
    })),
    ...entries,
  ];
}

function firstWords(commands: readonly ListedCommand[]): readonly Word[] {
  const words = commands.flatMap(({ name, says, aliases }) => {
    const [word = '', second] = name.split(' ');
    const seconds = secondWords(commands, word).map((each) => each.word);
    return [
      { word, says: second === undefined ? says : seconds.join(', ') },
      ...aliases.map((alias) => ({ word: alias, says: `short for ${name}` })),
    ];
  });
  return words.filter(({ word }, i) => words.findIndex((other) => other.word === word) === i);
}

function secondWords(commands: readonly ListedCommand[], verb: string): readonly Word[] {
  return commands
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
