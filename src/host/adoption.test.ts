/** How long a beat has stood still, in the eyes of one observer (ADR 0015). */
import { expect, test } from 'vitest';
import type { OpenExecution } from '../ports/store.ts';
import { beatWatch } from './adoption.ts';

const seen = (beat: number, grantId = 'g') =>
  ({ id: 'a.1', beat, lease: { grantId } }) as unknown as OpenExecution;

function watching() {
  let now = 0;
  const watch = beatWatch(() => now);
  return (open: OpenExecution, afterMs: number) => {
    now += afterMs;
    return watch(open);
  };
}

test('a holder is silent at the third look at the same beat, not before, however long it took', () => {
  const look = watching();
  expect(look(seen(1), 0)).toBe(0);
  expect(look(seen(1), 15_000)).toBe(0);
  expect(look(seen(1), 15_000)).toBe(30_000);
});

test('a beat, or another grant, is life: the count begins anew', () => {
  for (const life of [seen(2), seen(1, 'h')]) {
    const look = watching();
    for (let n = 0; n < 3; n += 1) look(seen(1), 15_000);
    expect(look(life, 15_000)).toBe(0);
    expect(look(life, 15_000)).toBe(0);
    expect(look(life, 15_000)).toBe(30_000);
  }
});

test('a standstill of the observer counts no longer than one look (L-D19)', () => {
  const look = watching();
  look(seen(1), 0);
  look(seen(1), 3_600_000);
  expect(look(seen(1), 5_000)).toBe(25_000);
});
