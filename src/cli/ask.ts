/** Questions on a terminal (UX 0.3): never where nobody can answer, never more than three times. */
import { RequestError } from '../kernel/errors.ts';
import type { Context } from './command.ts';
import { isCi } from './style.ts';
import { padTo } from './text.ts';

const triesMax = 3;
/** Asking what a question means is no wrong answer; still nobody is asked for ever. */
const helpsMax = 20;
/** The brackets of all questions stand in one column. */
const bracketColumn = 42;

export function canAsk({ io, given, isJson, options }: Context): boolean {
  const isSilent = isJson || given.has('yes') || given.has('no-input') || isCi(options.env);
  return io.stdinIsTerminal && io.stdout.isTerminal && !isSilent;
}

export interface Question<T> {
  readonly text: string;
  /** What Enter alone stands for; null: there is no default. */
  readonly bracket: string | null;
  /** Shown for `?`. */
  readonly help?: readonly string[];
  /** A text instead of a value says what is wrong with the answer. */
  readonly read: (answer: string) => { readonly value: T } | string;
}

/** @throws RequestError `no_answer` when the input ends or nothing usable is typed. */
export async function ask<T>(context: Context, question: Question<T>): Promise<T> {
  const { text, bracket } = question;
  const tail = bracket === null ? '' : `[${bracket}] `;
  const prompt = `${padTo(`${text} `, bracketColumn)}${tail}› `;
  let helps = 0;
  for (let tries = 0; tries < triesMax && helps < helpsMax; ) {
    const typed = await context.io.ask(prompt);
    if (typed === null) break;
    const result = interpret(question, typed.trim());
    if ('value' in result) return result.value;
    if (typed.trim() === '?') helps += 1;
    else tries += 1;
    context.print(result.lines);
  }
  const line = lineTyped(context);
  throw new RequestError('no_answer', `not answered: ${text} Nothing was started`, {
    next: bracket === null ? line : `${line}   or  ${line} -y  takes what stands in brackets`,
  });
}

function lineTyped({ options, called }: Context): string {
  const words = options.argv.map((word) => (/[\s"]/.test(word) ? JSON.stringify(word) : word));
  return [called, ...words].join(' ');
}

/** The value, or the lines that are shown before the question is asked again. */
function interpret<T>(
  { bracket, help, read }: Question<T>,
  typed: string,
): { readonly value: T } | { readonly lines: readonly string[] } {
  const answer = typed === '' ? (bracket ?? '') : typed;
  if (answer === '?') return { lines: help ?? ['    there is no help on this question'] };
  const result = read(answer);
  return typeof result === 'string' ? { lines: [`    ${result}`] } : result;
}

/** One letter of the choices, or `[letter]` is not known. */
export async function choose<T extends string>(
  context: Context,
  text: string,
  choices: Readonly<Record<T, string>>,
): Promise<T> {
  const letters = Object.keys(choices) as T[];
  const shown = letters.map((letter) => `[${letter}]${choices[letter].slice(letter.length)}`);
  return await ask(context, {
    text: `${text} ${shown.join(' · ')}`,
    bracket: null,
    help: letters.map((letter) => `    ${letter}  ${choices[letter]}`),
    read: (answer) => {
      const letter = letters.find((each) => each === answer.toLowerCase().slice(0, 1));
      return letter === undefined ? `one of ${letters.join(', ')}` : { value: letter };
    },
  });
}
