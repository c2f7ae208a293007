/** Small named texts of the store in memory. */
import type { Store } from '../../ports/store.ts';
import type { Tables } from './tables.ts';

export function facts(
  { facts: kept }: Tables,
  commit: (what: 'fact', write: () => boolean) => boolean,
): Pick<Store, 'fact' | 'facts' | 'swapFact'> {
  return {
    fact: async (name) => kept.get(name) ?? null,
    facts: async (prefix, limit) =>
      [...kept]
        .filter(([name]) => name.startsWith(prefix))
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .slice(0, limit)
        .map(([name, value]) => ({ name, value })),
    swapFact: async (name, expected, value) =>
      commit('fact', () => {
        if ((kept.get(name) ?? null) !== expected) return false;
        if (value === null) kept.delete(name);
        else kept.set(name, value);
        return true;
      }),
  };
}
