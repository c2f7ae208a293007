/**
 * Goal: how the bytes of a program arrive decides nothing: rows, answers and what is told of them
 * are the same. Method: screens painted whole and in any pieces.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { terminalScreen } from './screen.ts';

const size = { columns: 40, rows: 8 };

const piece = fc.oneof(
  fc.constantFrom(
    ...['größe ', '日本語', '🙂', '✻ ', '\r\n', '\r', '\b', '\t', '\u001b[2J', '\u001b[H'],
    ...['\u001b[3;5H', '\u001b[K', '\u001b[31m', '\u001b[?1049h', '\u001b[?1049l', '\u001b[2A'],
    ...['\u001b[6n', '\u001b[c', '\u001b]11;?\u0007', '\u001b]0;a title\u001b\\', '\u001b[?2004h'],
  ),
  fc.string({ maxLength: 60 }),
);

async function painted(chunks: readonly Uint8Array[]) {
  const answers: string[] = [];
  const screen = await terminalScreen(size, (said) => answers.push(said));
  for (const chunk of chunks) {
    screen.push(chunk);
    await screen.painted();
  }
  const { scrolled, takesPastes } = screen;
  const seen = { rows: screen.since(0), scrolled, takesPastes, answers: answers.join('') };
  screen.close();
  return seen;
}

function cut(bytes: Uint8Array, at: readonly number[]): readonly Uint8Array[] {
  const places = [...at.map((one) => one % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  return places.map((place, n) => bytes.subarray(places[n - 1] ?? 0, place));
}

test('any pieces of the same bytes give the same rows and answers (RR-14)', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(piece, { maxLength: 60 }),
      fc.array(fc.nat(), { maxLength: 30 }),
      async (pieces, at) => {
        const bytes = new TextEncoder().encode(pieces.join(''));
        expect(await painted(cut(bytes, at))).toEqual(await painted([bytes]));
      },
    ),
    { numRuns: 150 },
  );
});
