/** Goal: whoever is refused is told what somebody else may type. */
import { expect, test } from 'vitest';
import { refusal } from './refusal.ts';

test('a stranger who may not cancel is given the line for the operator', () => {
  const rejection = { code: 'principal.refused', command: 'cancel', kind: 'automation' } as const;
  const { code, details } = refusal(rejection, '7k2m');
  expect(code).toBe('not_yours');
  expect(details.next).toBe('ask the operator to run:  pawl cancel 7k2m');
});
