/**
 * Makes strict JSON of what judges really write: one ```json fence around it, comments in it
 * (SL-58). Nothing else is forgiven, and prose is never searched for a verdict (L-A18).
 */

/** The value, or undefined when the text is not exactly one JSON value. Never throws. */
export function parseLenientJson(text: string): unknown {
  try {
    return JSON.parse(withoutComments(withoutFence(text.trim())));
  } catch {
    // Whatever is not JSON is answered as undefined; the caller calls it unparseable.
    return undefined;
  }
}

function withoutFence(text: string): string {
  const fenced = /^```(?:jsonc?|json5)?[ \t]*\r?\n([\s\S]*?)\r?\n?```$/i.exec(text);
  return fenced?.[1] ?? text;
}

/** Comments become blanks; what looks like one inside a string stays. */
function withoutComments(text: string): string {
  const token = /"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g;
  return text.replace(token, (found) => (found.startsWith('"') ? found : ' '));
}
