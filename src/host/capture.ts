/**
 * The head and the tail of a stream of bytes, whatever its length (L-I1, L-I4): memory is bounded,
 * a character that was cut by a border of chunks or of the bounds never becomes rubbish.
 */
export interface Capture {
  push(bytes: Uint8Array): void;
  /** All of it, or head and tail with a line that says how much is left out between them. */
  text(): string;
  /** The last line that is not blank, without control characters; null when there is none. */
  lastLine(charactersMax: number): string | null;
  readonly bytes: number;
}

export interface CaptureBounds {
  readonly headBytesMax: number;
  readonly tailBytesMax: number;
}

export const captureBounds: CaptureBounds = { headBytesMax: 256 * 1024, tailBytesMax: 768 * 1024 };

export function boundedCapture(bounds: CaptureBounds = captureBounds): Capture {
  const head = Buffer.alloc(bounds.headBytesMax);
  /** A ring: the byte after the newest is at `bytes of the tail modulo its size`. */
  const tail = Buffer.alloc(bounds.tailBytesMax);
  let headLength = 0;
  let tailTotal = 0;
  const keepTail = (bytes: Uint8Array) => {
    // Only the last `tailBytesMax` of a chunk can survive it.
    const skipped = Math.max(0, bytes.length - tail.length);
    tailTotal += skipped;
    for (let from = skipped; from < bytes.length; ) {
      const at = tailTotal % tail.length;
      const part = bytes.subarray(from, from + tail.length - at);
      tail.set(part, at);
      tailTotal += part.length;
      from += part.length;
    }
  };
  const tailBytes = (): Buffer => {
    if (tailTotal <= tail.length) return tail.subarray(0, tailTotal);
    const at = tailTotal % tail.length;
    return Buffer.concat([tail.subarray(at), tail.subarray(0, at)]);
  };
  const text = () => {
    const left = Math.max(0, tailTotal - tail.length);
    const first = head.subarray(0, headLength);
    if (left === 0) return Buffer.concat([first, tailBytes()]).toString('utf8');
    const [start, end] = [withoutCutEnd(first), withoutCutStart(tailBytes())];
    return `${start.toString('utf8')}\n… ${left} bytes left out …\n${end.toString('utf8')}`;
  };
  return {
    push(bytes) {
      const room = Math.min(head.length - headLength, bytes.length);
      head.set(bytes.subarray(0, room), headLength);
      headLength += room;
      if (bytes.length > room) keepTail(bytes.subarray(room));
    },
    text,
    lastLine: (charactersMax) => lastLineOf(text().slice(-64 * 1024), charactersMax),
    get bytes() {
      return headLength + tailTotal;
    },
  };
}

/** As {@link Capture.lastLine} of a text. */
export function lastLineOf(text: string, charactersMax: number): string | null {
  const lines = text.split(/[\r\n]+/).map(plain);
  const last = lines.findLast((line) => line.trim() !== '');
  return last === undefined ? null : [...last.trim()].slice(0, charactersMax).join('');
}

/** Without terminal sequences and other control characters. */
function plain(line: string): string {
  return line.replace(/\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b[@-_]|[\x00-\x08\x0b-\x1f\x7f]/g, '');
}

const isContinuation = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80;

function withoutCutStart(bytes: Buffer): Buffer {
  let from = 0;
  while (from < 3 && isContinuation(bytes[from])) from += 1;
  return bytes.subarray(from);
}

function withoutCutEnd(bytes: Buffer): Buffer {
  let end = bytes.length;
  while (end > 0 && bytes.length - end < 3 && isContinuation(bytes[end - 1])) end -= 1;
  const lead = bytes[end - 1] ?? 0;
  const needs = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return bytes.length - end + 1 >= needs ? bytes : bytes.subarray(0, end - 1);
}
