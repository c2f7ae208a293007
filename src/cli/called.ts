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
