/** What a line of a stranger says to a reader, without what it says to a terminal. */

const escapes =
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g;
const controls =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069\ufff9-\ufffb]/g;

/** What one line of a lane may hold before it is looked at; no terminal is this wide. */
const lineCharactersMax = 8_192;

export const withoutEscapes = (text: string): string => text.replace(escapes, '');

/** Without escape sequences, control and direction characters; tabs become a space. */
export function clean(text: string): string {
  return withoutEscapes(text).replace(controls, '').replace(/\t/g, ' ');
}

/** The first line that says something, cleaned. */
export function firstLine(text: string): string {
  for (const line of text.split('\n', 100)) {
    const cleaned = clean(shownOf(line)).trim();
    if (cleaned !== '') return cleaned;
  }
  return '';
}

/**
 * What a terminal would show of a line that is written over and over again (a progress bar ends
 * each state with a carriage return): the newest state, and of an endless line its beginning.
 */
export function shownOf(line: string): string {
  const end = line.trimEnd();
  const from = end.lastIndexOf('\r') + 1;
  return end.slice(from, from + lineCharactersMax);
}
