import { invariant } from '../../kernel/invariant.ts';
import type { CriterionKind } from './kind.ts';

/** A human looks; no job is made for it. */
export const manualKind: CriterionKind = {
  kind: 'manual',
  judgedBy: 'human',
  what(criterion) {
    invariant('look' in criterion, 'a manual criterion says where to look');
    return String(criterion.look);
  },
  check: null,
};
