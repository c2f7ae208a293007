/**
 * Takes known secrets out of a stream of bytes, by exact value and in the encodings that programs
 * print them in, also where a value is cut by the border of two chunks (L-N1, L-N5). It cannot know
 * secrets that it was not told, nor ones that a program transforms in other ways.
 */

/** Shorter values would hide ordinary text and protect nothing. */
const lengthMin = 4;

export interface Redactor {
  /** What may be kept of this chunk; an end that could begin a secret waits for the next. */
  push(bytes: Uint8Array): Buffer;
  /** What was held back; the stream has ended. */
  flush(): Buffer;
}

interface Pattern {
  /** Bytes as characters of one byte each. */
  readonly bytes: string;
  readonly instead: string;
}

/** `secrets`: name → value. One redactor is for one stream. */
export function redactor(secrets: Readonly<Record<string, string>>): Redactor {
  const patterns = patternsOf(secrets);
  let held = '';
  return {
    push(bytes) {
      if (patterns.length === 0) return Buffer.from(bytes);
      const text = held + Buffer.from(bytes).toString('latin1');
      const replaced = replaceAll(text, patterns);
      const keep = heldLength(replaced.rest, patterns);
      held = replaced.rest.slice(replaced.rest.length - keep);
      const rest = replaced.rest.slice(0, replaced.rest.length - keep);
      return Buffer.from(replaced.done + rest, 'latin1');
    },
    flush() {
      const left = Buffer.from(held, 'latin1');
      held = '';
      return left;
    },
  };
}

/**
 * A whole text at once: error messages, details. Whoever made it may have clipped it in the middle
 * of a secret, so of a text that ends with the beginning of one, or begins with the end of one,
 * that part is taken out too.
 */
export function redactText(text: string, secrets: Readonly<Record<string, string>>): string {
  const patterns = patternsOf(secrets);
  const { done, rest } = replaceAll(latin1(text), patterns);
  return Buffer.from(withoutCut(done + rest, patterns), 'latin1').toString('utf8');
}

/** A shorter part is more often an ordinary word than what is left of a secret. */
const cutMin = 8;
const ellipsis = latin1('…');

function withoutCut(text: string, patterns: readonly Pattern[]): string {
  const before = text.startsWith(ellipsis) ? ellipsis : '';
  const after = text.endsWith(ellipsis) && text !== ellipsis ? ellipsis : '';
  let middle = text.slice(before.length, text.length - after.length);
  const first = longestCut(patterns, ({ bytes }, n) => middle.startsWith(bytes.slice(-n)));
  if (first !== null) middle = first.pattern.instead + middle.slice(first.length);
  const last = longestCut(patterns, ({ bytes }, n) => middle.endsWith(bytes.slice(0, n)));
  if (last !== null) middle = middle.slice(0, -last.length) + last.pattern.instead;
  return before + middle + after;
}

function longestCut(
  patterns: readonly Pattern[],
  isCut: (pattern: Pattern, length: number) => boolean,
): { readonly pattern: Pattern; readonly length: number } | null {
  for (let length = (patterns[0]?.bytes.length ?? 0) - 1; length >= cutMin; length -= 1) {
    const pattern = patterns.find((one) => one.bytes.length > length && isCut(one, length));
    if (pattern !== undefined) return { pattern, length };
  }
  return null;
}

/** `done` ends after the last secret, so nothing in `rest` is replaced twice. */
function replaceAll(text: string, patterns: readonly Pattern[]) {
  let done = '';
  let rest = text;
  for (let hit = earliest(rest, patterns); hit !== null; hit = earliest(rest, patterns)) {
    done += rest.slice(0, hit.at) + hit.pattern.instead;
    rest = rest.slice(hit.at + hit.pattern.bytes.length);
  }
  return { done, rest };
}

/** Of those that begin at the same place the longest, since patterns are sorted by length. */
function earliest(text: string, patterns: readonly Pattern[]) {
  let found: { at: number; pattern: Pattern } | null = null;
  for (const pattern of patterns) {
    const at = text.indexOf(pattern.bytes);
    if (at >= 0 && (found === null || at < found.at)) found = { at, pattern };
  }
  return found;
}

/** Length of the longest end of the text that begins a secret. */
function heldLength(text: string, patterns: readonly Pattern[]): number {
  const longest = patterns[0]?.bytes.length ?? 0;
  for (let length = Math.min(longest - 1, text.length); length > 0; length -= 1) {
    const end = text.slice(text.length - length);
    if (patterns.some(({ bytes }) => bytes.startsWith(end))) return length;
  }
  return 0;
}

function patternsOf(secrets: Readonly<Record<string, string>>): readonly Pattern[] {
  const patterns: Pattern[] = [];
  for (const [name, value] of Object.entries(secrets)) {
    const instead = Buffer.from(`‹redacted ${name}›`, 'utf8').toString('latin1');
    for (const form of formsOf(value)) {
      if (form.length >= lengthMin) patterns.push({ bytes: latin1(form), instead });
    }
  }
  return patterns.toSorted((a, b) => b.bytes.length - a.bytes.length);
}

function formsOf(value: string): ReadonlySet<string> {
  if (value.length < lengthMin) return new Set();
  const bytes = Buffer.from(value, 'utf8');
  return new Set([
    value,
    value.trimEnd(),
    encodeURIComponent(value),
    JSON.stringify(value).slice(1, -1),
    bytes.toString('hex'),
    ...base64Forms(bytes, 'base64'),
    ...base64Forms(bytes, 'base64url'),
  ]);
}

/**
 * In base64 the same bytes look different at each of three offsets; what depends on the neighbours
 * is cut off at both ends. Forms of short values are left out: they would match by chance.
 */
function base64Forms(bytes: Buffer, encoding: 'base64' | 'base64url'): readonly string[] {
  if (bytes.length < 9) return [];
  return [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString(encoding)
      .replace(/=+$/, '');
    const from = offset === 0 ? 0 : offset + 1;
    const whole = (offset + bytes.length) % 3 === 0;
    return text.slice(from, whole ? undefined : -1);
  });
}

function latin1(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}
