/**
 * Keeps the head and the tail of what a check prints, however much that is (L-I1, L-I4, L-I5).
 * Bytes are decoded stream by stream, so that a character cut by a chunk border, or by the other
 * stream, comes out whole.
 */
import { StringDecoder } from 'node:string_decoder';

export interface BoundedOutput {
  readonly stdout: (bytes: Uint8Array) => void;
  readonly stderr: (bytes: Uint8Array) => void;
  /** Head, a line that says how much was left out, tail; secrets replaced, cut ones too. */
  text(): string;
}

export interface OutputBounds {
  readonly headMax: number;
  readonly tailMax: number;
}
export const outputBounds: OutputBounds = { headMax: 64 * 1024, tailMax: 192 * 1024 };

export function boundedOutput(
  secrets: readonly string[] = [],
  bounds: OutputBounds = outputBounds,
): BoundedOutput {
  let head = '';
  let tail: string[] = [];
  let tailLength = 0;
  let leftOut = 0;

  const shrink = () => {
    const all = tail.join('');
    const cut = wholeCharacter(all, all.length - bounds.tailMax);
    leftOut += cut;
    tail = [all.slice(cut)];
    tailLength = all.length - cut;
  };
  const add = (text: string) => {
    const room = Math.max(0, Math.min(bounds.headMax - head.length, text.length));
    const taken = tailLength > 0 ? 0 : wholeCharacter(text, room);
    head += text.slice(0, taken);
    if (taken === text.length) return;
    tail.push(text.slice(taken));
    tailLength += text.length - taken;
    // Twice the bound before it is cut down: each character is copied a bounded number of times.
    if (tailLength > 2 * bounds.tailMax) shrink();
  };
  const stream = () => {
    const decoder = new StringDecoder('utf8');
    return (bytes: Uint8Array) => add(decoder.write(Buffer.from(bytes)));
  };
  return {
    stdout: stream(),
    stderr: stream(),
    text() {
      if (tailLength > bounds.tailMax) shrink();
      const end = tail.join('');
      if (leftOut === 0) return redact(head + end, secrets);
      const note = `\n… ${leftOut} characters left out …\n`;
      return (
        withoutCutSecret(head, secrets, 'end') + note + withoutCutSecret(end, secrets, 'start')
      );
    },
  };
}

export function redact(text: string, secrets: readonly string[]): string {
  return secrets.reduce((all, secret) => all.replaceAll(secret, '[redacted]'), text);
}

/** The longest part of a secret that lies across the cut goes too: half a key is still a key. */
function withoutCutSecret(text: string, secrets: readonly string[], at: 'start' | 'end'): string {
  const clean = redact(text, secrets);
  const shown = Math.max(0, ...secrets.map((secret) => shownAtCut(clean, secret, at)));
  if (shown < 4) return clean;
  return at === 'end' ? clean.slice(0, -shown) : clean.slice(shown);
}

function shownAtCut(text: string, secret: string, at: 'start' | 'end'): number {
  for (let length = secret.length - 1; length > 0; length -= 1) {
    const isShown =
      at === 'end'
        ? text.endsWith(secret.slice(0, length))
        : text.startsWith(secret.slice(-length));
    if (isShown) return length;
  }
  return 0;
}

/** The nearest cut at or after `index` that does not part a surrogate pair. */
function wholeCharacter(text: string, index: number): number {
  const code = text.charCodeAt(index);
  return index > 0 && code >= 0xdc00 && code <= 0xdfff ? index + 1 : index;
}
