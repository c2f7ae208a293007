import { quotedWord } from '../kernel/argv.ts';
import { verbs } from './verbs.ts';

/**
 * Every command that is printed is printed as it can be typed here: `pawl`, or `npx pawl` from a
 * clone.
 */
export function calledAs(text: string, called: string): string {
  return called === 'pawl' ? text : text.replace(typed, `${called} `);
}

/** The program followed by a verb, a flag or a placeholder; prose about pawl stays. */
const typed = new RegExp(
  `(?<![\\w/."-])(?<!npx )pawl (?=(?:${verbs.join('|')})\\b(?![:-])|[<-])`,
  'g',
);

/** The command again, as it was typed: what is to be done with the same flags. */
export const typedAs = ({ called, argv }: Typed, without: readonly string[] = []): string =>
  [called, ...argv.filter((word) => !without.includes(word)).map(quotedWord)].join(' ');

interface Typed {
  readonly called: string;
  readonly argv: readonly string[];
}
