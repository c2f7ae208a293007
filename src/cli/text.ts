/**
 * Text on a terminal: columns that it takes, cutting, wrapping, and cleaning of what came from
 * outside. Whatever a lane or a check printed goes through `clean` before it reaches a terminal.
 */
const escapes = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g;
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** Without escape sequences, control and direction characters; tabs become a space. */
export function clean(text: string): string {
  return text.replace(escapes, '').replace(controls, '').replace(/\t/g, ' ');
}

/** The first line that says something, cleaned. */
export function firstLine(text: string): string {
  for (const line of text.split('\n', 100)) {
    const cleaned = clean(line).trim();
    if (cleaned !== '') return cleaned;
  }
  return '';
}

const zeroWidth = /^[\p{Mn}\p{Me}\p{Cf}]$/u;
const wide =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1f9ff}\u{20000}-\u{3fffd}]$/u;

export function widthOf(text: string): number {
  let width = 0;
  for (const point of text.replace(escapes, '')) {
    if (point < '\u007f') width += 1;
    else if (!zeroWidth.test(point)) width += wide.test(point) ? 2 : 1;
  }
  return width;
}

/** At most `columns` wide; what is cut shows as `…`. Plain text only: colour comes after. */
export function cut(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  let kept = '';
  let width = 0;
  for (const point of text) {
    const more = widthOf(point);
    if (width + more > columns - 1) break;
    kept += point;
    width += more;
  }
  return columns < 1 ? '' : `${kept.trimEnd()}…`;
}

export function padTo(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - widthOf(text)));
}

/** Left and right apart on one line; the left gives way. */
export function spread(left: string, right: string, columns: number): string {
  if (right === '') return cut(left, columns);
  const room = columns - widthOf(right) - 2;
  return room < 10 ? cut(left, columns) : `${padTo(cut(left, room), room)}  ${right}`;
}

/** Lines of at most `columns`, broken at spaces; continued lines begin with `indent`. */
export function wrap(text: string, columns: number, indent = ''): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const joined = line === '' ? word : `${line} ${word}`;
    if (widthOf(joined) <= columns || line.trim() === '') line = joined;
    else {
      lines.push(line);
      line = indent + word;
    }
  }
  return [...lines, line].map((each) => cut(each.trimEnd(), columns));
}
