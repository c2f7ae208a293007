/**
 * Decodes UTF-8 without a platform, since the pure layers have none. Malformed sequences become
 * U+FFFD, one for each byte that cannot begin or go on; nothing is thrown.
 */
export function utf8(bytes: Uint8Array): string {
  const parts: string[] = [];
  let points: number[] = [];
  for (let at = 0; at < bytes.length; ) {
    const { point, length } = sequenceAt(bytes, at);
    points.push(point);
    at += length;
    if (points.length === 4096) {
      parts.push(String.fromCodePoint(...points));
      points = [];
    }
  }
  parts.push(String.fromCodePoint(...points));
  return parts.join('');
}

interface Sequence {
  readonly point: number;
  readonly length: number;
}

const replacement: Sequence = { point: 0xfffd, length: 1 };

/** Least code point that needs this many bytes: anything smaller is an overlong form. */
const least: readonly number[] = [0, 0, 0x80, 0x800, 0x10000];

function sequenceAt(bytes: Uint8Array, at: number): Sequence {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return { point: first, length: 1 };
  const length = lengthOf(first);
  let point = first & (0x7f >> length);
  for (let offset = 1; offset < length; offset += 1) {
    const next = bytes[at + offset] ?? 0;
    if ((next & 0xc0) !== 0x80) return replacement;
    point = (point << 6) | (next & 0x3f);
  }
  return length > 1 && isValid(point, length) ? { point, length } : replacement;
}

/** By the first byte; 1 where no sequence can begin. */
function lengthOf(first: number): number {
  if (first < 0xc2 || first > 0xf4) return 1;
  if (first < 0xe0) return 2;
  return first < 0xf0 ? 3 : 4;
}

function isValid(point: number, length: number): boolean {
  const isSurrogate = point >= 0xd800 && point <= 0xdfff;
  return !isSurrogate && point >= (least[length] ?? 0) && point <= 0x10ffff;
}

/** As UTF-8 takes it, without the bytes: a pair of surrogates is four, as is no part alone. */
export function utf8Length(text: string): number {
  let length = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    length += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return length;
}
