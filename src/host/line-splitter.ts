/**
 * Lines of a stream of bytes. Bounded: what is longer than a line may be is dropped whole, counted,
 * and the next line is read as if nothing had been (L-I2).
 */
export interface LineSplitter {
  /** The lines that end within these bytes, without their ends. */
  push(bytes: Uint8Array): readonly string[];
  /** What came after the last end; null when nothing did. */
  rest(): string | null;
  /** Lines that were too long. */
  readonly dropped: number;
}

/** `lengthMax` in characters. */
export function lineSplitter(lengthMax: number): LineSplitter {
  const decoder = new TextDecoder();
  let parts: string[] = [];
  let length = 0;
  let dropped = 0;
  const add = (text: string) => {
    length += text.length;
    if (length <= lengthMax) parts.push(text);
    else parts = [];
  };
  const close = (): string | null => {
    const line = length > lengthMax ? null : parts.join('');
    if (line === null) dropped += 1;
    parts = [];
    length = 0;
    return line === null ? null : line.replace(/\r$/, '');
  };
  return {
    push(bytes) {
      const [first = '', ...others] = decoder.decode(bytes, { stream: true }).split('\n');
      const lines: string[] = [];
      add(first);
      for (const next of others) {
        const line = close();
        if (line !== null) lines.push(line);
        add(next);
      }
      return lines;
    },
    rest() {
      add(decoder.decode());
      return length === 0 ? null : close();
    },
    get dropped() {
      return dropped;
    },
  };
}
