/**
 * Every command that is printed is printed as it can be typed here: `pawl`, or `npx pawl` from a
 * clone.
 */
export function calledAs(text: string, called: string): string {
  return called === 'pawl'
    ? text
    : text.replace(/(?<![\w/."-])(?<!npx )pawl (?=[a-z<-])/g, `${called} `);
}
