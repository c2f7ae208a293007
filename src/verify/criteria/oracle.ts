import type { CriterionKind } from './kind.ts';
import { questionOf } from './question.ts';

/** A read-only lane of another identity answers a question about the work. */
export const oracleKind: CriterionKind = {
  kind: 'oracle',
  judgedBy: 'lane',
  what: questionOf,
  check: null,
};
