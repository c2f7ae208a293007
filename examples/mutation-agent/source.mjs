/**
 * What can be known of JavaScript without a parser: where strings and comments are, which functions
 * there are, and what they name. Enough for small modules in plain style; anything else is skipped.
 */

/**
 * The same text with every string, comment and regular expression blanked, so offsets stay true.
 */
export function masked(text) {
  const skip =
    /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|(?<=[(,=:[!&|?{};\n]\s*)\/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n])+\/[a-z]*/g;
  return text.replace(skip, (found) => found.replace(/[^\n]/g, ' '));
}

/** Offset just after the bracket that closes the one at `open`. */
export function closing(mask, open) {
  const pairs = { '(': ')', '[': ']', '{': '}' };
  const stack = [];
  for (let at = open; at < mask.length; at += 1) {
    const sign = mask[at];
    if (pairs[sign] !== undefined) stack.push(pairs[sign]);
    else if (sign === stack.at(-1)) stack.pop();
    if (stack.length === 0) return at + 1;
  }
  return mask.length;
}

/** Every named function of a file, as `{ name, from, to }`. */
export function functionsOf(mask) {
  const declared = /\bfunction\s*\*?\s*([A-Za-z_$][\w$]*)\s*\(/g;
  const assigned =
    /\b(?:const|let)\s+([A-Za-z_$][\w$]*)\s*=\s*(?:async\s*)?(?:\([^()]*\)|[\w$]+)\s*=>\s*/g;
  const found = [];
  for (const match of mask.matchAll(declared)) {
    const parameters = closing(mask, match.index + match[0].length - 1);
    const body = mask.indexOf('{', parameters);
    if (body !== -1) found.push({ name: match[1], from: match.index, to: closing(mask, body) });
  }
  for (const match of mask.matchAll(assigned)) {
    const body = match.index + match[0].length;
    const end = mask[body] === '{' ? closing(mask, body) : mask.indexOf(';', body);
    found.push({ name: match[1], from: match.index, to: end === -1 ? mask.length : end });
  }
  return found;
}

/** Every `test('title', …)` or `it('title', …)` of a file, as `{ title, names }`. */
export function testsOf(text) {
  const mask = masked(text);
  return [...mask.matchAll(/\b(?:test|it)\s*\(/g)].map((match) => {
    const open = match.index + match[0].length - 1;
    const to = closing(mask, open);
    const title = /^\s*(['"`])((?:\\.|(?!\1).)*)\1/.exec(text.slice(open + 1, to));
    return {
      title: title?.[2].replace(/\\(.)/g, '$1') ?? '',
      names: namesOf(mask.slice(open, to)),
    };
  });
}

/** The identifiers of a piece of masked source. */
export function namesOf(mask) {
  return new Set(mask.match(/[A-Za-z_$][\w$]*/g) ?? []);
}
