/** Bounded text that is cut between characters, never inside one. */

const ellipsis = '…';

/** At most `charactersMax` UTF-16 units; what is cut ends in an ellipsis. Never half a pair. */
export function clip(text: string, charactersMax: number): string {
  if (text.length <= charactersMax) return text;
  const end = Math.max(0, charactersMax - ellipsis.length);
  return charactersMax < 1 ? '' : whole(text.slice(0, end)) + ellipsis;
}

const plainPath = /^[^\p{Cc}"\\\u2028-\u202e\u2066-\u2069]*$/u;

/**
 * A path as git writes it: one that holds a quote, a backslash, a line break or anything else that
 * a terminal acts on is quoted as in C, so that one file never looks like two.
 */
export function quotePath(path: string): string {
  if (plainPath.test(path)) return path;
  const named: Readonly<Record<string, string>> = {
    ...{ '"': '\\"', '\\': '\\\\', '\n': '\\n', '\t': '\\t', '\r': '\\r' },
  };
  const escaped = [...path].map((character) => {
    if (plainPath.test(character)) return character;
    return named[character] ?? octal(character);
  });
  return `"${escaped.join('')}"`;
}

/** Bytes of UTF-8 in octal; half of a surrogate pair is the replacement character. */
function octal(character: string): string {
  const whole = /^[\ud800-\udfff]$/.test(character) ? '\ufffd' : character;
  const bytes = [...whole].flatMap((one) => {
    const code = one.codePointAt(0) ?? 0;
    if (code < 0x80) return [code];
    return (encodeURIComponent(one).match(/[\dA-F]{2}/g) ?? []).map((hex) =>
      Number.parseInt(hex, 16),
    );
  });
  return bytes.map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
}

/** One line: line breaks and other control characters become single spaces; then {@link clip}. */
export function clipLine(text: string, charactersMax: number): string {
  return clip(text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim(), charactersMax);
}

/** The longest prefix of whole characters that takes at most `bytesMax` bytes of UTF-8. */
export function clipUtf8(text: string, bytesMax: number): string {
  let bytes = 0;
  let end = 0;
  for (const character of text) {
    bytes += utf8Bytes(character);
    if (bytes > bytesMax) return text.slice(0, end);
    end += character.length;
  }
  return text;
}

/** How many bytes a text takes as UTF-8; a lone surrogate counts as the replacement character. */
export function utf8Length(text: string): number {
  let bytes = 0;
  for (const character of text) bytes += utf8Bytes(character);
  return bytes;
}

/** Of one character as a string's iterator yields it: a code point, or half of a broken pair. */
function utf8Bytes(character: string): number {
  if (character.length === 2) return 4;
  if (character < '\u0080') return 1;
  return character < '\u0800' ? 2 : 3;
}

/** Without a high surrogate that lost its other half at the end. */
function whole(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff ? text.slice(0, -1) : text;
}
