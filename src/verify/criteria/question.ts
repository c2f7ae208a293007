import { invariant } from '../../kernel/invariant.ts';
import type { AnyCriterion } from './kind.ts';

/** What a judging lane is asked. */
export function questionOf(criterion: AnyCriterion): string {
  invariant('question' in criterion, `a ${criterion.kind} criterion has a question`);
  return String(criterion.question);
}
