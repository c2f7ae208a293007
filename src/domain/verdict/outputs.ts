import type { Digest } from '../ids.ts';
import type { CriterionResult } from './verdict.ts';

/** The artifacts that judged criteria name, each once: kept as long as what names them. */
export function outputsOf(criteria: readonly CriterionResult[]): readonly Digest[] {
  return [...new Set(criteria.flatMap(({ output }) => output ?? []))];
}
