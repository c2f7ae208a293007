/** Finds the commands of this program in texts, and types each as a person would. */
import { findCommand } from '../../src/cli/commands.ts';
import { parse } from '../../src/cli/parse.ts';
import { verbs } from '../../src/cli/verbs.ts';

export interface Line {
  /** Where it stands, for the message. */
  readonly path: string;
  /** Without the name of the program. */
  readonly text: string;
}

/** A command stands apart: behind a gap, a sign, or a word that says "type this". */
const apart =
  /(?:(?:^|['`"]|\s{2}|· |: |\(|\$ |\b(?:or|then|with|type|run|see|npx) )pawl|\$\{(?:context\.)?called\}) ((?:[a-z]|-[-a-zA-Z])[^\n'`·;)]*)/g;

/** In strings of a program: in the middle of a sentence the name is a subject. */
export function commandsIn(path: string, text: string): readonly Line[] {
  return [...text.matchAll(apart)].map((match) => ({ path, text: (match[1] ?? '').trim() }));
}

/** What a page shows as typed: in backticks, in fenced blocks, in indented blocks. */
export function commandsOfPage(path: string, page: string): readonly Line[] {
  const fenced = [...page.matchAll(/^```(?!yaml)\w*\n([\s\S]*?)^```$/gm)].map(
    ([, body]) => body ?? '',
  );
  const rest = page.replace(/^```[\s\S]*?^```$/gm, '');
  const indented = rest.split('\n').filter((line) => /^ {4}\S/.test(line));
  const blocks = [...fenced.flatMap((body) => body.split('\n')), ...indented];
  const inline = [...rest.matchAll(/`((?:npx )?pawl [^`]+)`/g)].map(([, code]) => code ?? '');
  const lines = [...blocks, ...inline].map((line) =>
    line
      .trim()
      .replace(/\s#\s.*$/, '')
      .replace(/^(?:\$ )?npx pawl/, 'pawl'),
  );
  return lines.flatMap((line) =>
    line.split(/ && | \|\| /).flatMap((part) => commandsIn(path, part.trim())),
  );
}

/** As a person would fill in the placeholders; only the first command of a line. */
export function filled(line: string): readonly string[] {
  const text = line
    .replace(/\$\{[^}]*\}/g, 'x')
    .replaceAll('"…"', 'text')
    .replace(/\+n|<n>/g, '1')
    .replace(/\+\$/g, '+5')
    .replace(/<[^>]+>…?/g, 'x')
    .replace(/"[^"]*"?/g, 'text')
    .replace(/[[\]]/g, '')
    .split(/ {2,}|, | && | > | \| | or | with | explains| lists| tries| removes| lifts/)[0];
  return (text ?? '')
    .replace(/[.,:"\\]+$/, '')
    .split(' ')
    .filter((word) => word !== '' && word !== '…');
}

/** Null when it exists, else what is wrong with it. */
async function fault({ path, text }: Line, isWhole: boolean): Promise<string | null> {
  const words = filled(text);
  if (words.every((word) => word.startsWith('-'))) return flagFault(path, text, words);
  // A first word that several commands share has a help of its own.
  if (words.length === 2 && verbs.includes(words[0] ?? '') && words[1] === '--help') return null;
  const found = await findCommand(words);
  if (found === null) return `${path}: pawl ${text}: no such command`;
  try {
    const { command, used } = found;
    const given = parse(command.name, words.slice(used), command.flags);
    if (!isWhole || given.words.length <= command.arguments.max) return null;
    return `${path}: pawl ${text}: at most ${command.arguments.max} words belong there`;
  } catch (error: unknown) {
    return `${path}: pawl ${text}: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function flagFault(path: string, text: string, words: readonly string[]): string | null {
  try {
    parse('', words, []);
    return null;
  } catch (error: unknown) {
    return `${path}: pawl ${text}: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** `isWhole`: the line ends where the command ends, so that words left over are a fault. */
export async function faultsIn(lines: readonly Line[], isWhole = true): Promise<readonly string[]> {
  const found = await Promise.all(lines.map((line) => fault(line, isWhole)));
  return found.filter((each) => each !== null);
}
