import type { CriterionKind } from './kind.ts';
import { questionOf } from './question.ts';

/** A read-only lane of another identity judges what the work looks like. */
export const observerKind: CriterionKind = {
  kind: 'observer',
  judgedBy: 'lane',
  what: questionOf,
  check: null,
};
