/** Small facts beside the streams (part of what every store promises). */
import { expect, test } from 'vitest';
import type { Store } from '../../src/ports/store.ts';

export function facts(store: () => Store): void {
  test('a fact is set, changed and removed by whoever saw it last, and by nobody else', async () => {
    expect(await store().swapFact('k/a', 'x', 'y')).toBe(false);
    const first = Array.from({ length: 8 }, (_, n) => store().swapFact('k/a', null, `${n}`));
    expect((await Promise.all(first)).filter(Boolean)).toHaveLength(1);
    const value = await store().fact('k/a');
    expect(await store().swapFact('k/a', 'other', 'z')).toBe(false);
    expect(await store().swapFact('k/a', value, 'z')).toBe(true);
    await store().swapFact('k/b', null, '2');
    await store().swapFact('l', null, '3');
    expect(await store().facts('k/', 10)).toEqual([
      { name: 'k/a', value: 'z' },
      { name: 'k/b', value: '2' },
    ]);
    expect(await store().facts('k/', 1)).toHaveLength(1);
    expect(await store().swapFact('k/a', 'z', null)).toBe(true);
    expect(await store().swapFact('k/a', null, null)).toBe(true);
    expect(await store().fact('k/a')).toBeNull();
  });
}
