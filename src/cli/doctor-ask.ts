/** Of `pawl doctor`: what cannot be asked is told as a check that fails, and ends no page. */
import type { HealthCheck } from '../ports/health.ts';
import { problemsOf } from './problem.ts';

type Checks = HealthCheck | readonly HealthCheck[];

/** The checks that `look` comes to; what it throws of ours is one under `id`. */
export type Ask = (id: string, look: () => Promise<Checks>) => Promise<readonly HealthCheck[]>;

/** What keeps several checks from being made is told once; the others are unknown. */
export function asking(): Ask {
  const told = new Set<string>();
  return async (id, look) => {
    try {
      const found = await look();
      return 'id' in found ? [found] : found;
    } catch (error: unknown) {
      const { detail, next } = wordsOf(error);
      if (told.has(detail))
        return [{ id, state: 'unknown', detail: `${id}: not known`, next: null }];
      told.add(detail);
      return [{ id, state: 'fail', detail, next }];
    }
  };
}

/** @throws what is no error of ours: a bug. */
function wordsOf(error: unknown): Pick<HealthCheck, 'detail' | 'next'> {
  const [problem] = problemsOf(error) ?? [];
  if (problem === undefined) throw error;
  const { what, found, next } = problem;
  return { detail: found === null ? what : `${what}: ${found}`, next };
}
