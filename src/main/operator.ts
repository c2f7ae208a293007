/** Who types, and the tokens by which others may pass gates for an operator. */
import { join } from 'node:path';
import type { PrincipalFacts } from '../cli/principal.ts';
import { ancestry } from '../host/ancestry.ts';
import { nodeClock } from '../host/clock.ts';
import { diskOperatorTokens } from '../host/operator-tokens.ts';
import type { OperatorTokens } from '../ports/operator-tokens.ts';
import type { Surroundings } from './surroundings.ts';

export function operatorTokens(around: Pick<Surroundings, 'home'>): OperatorTokens {
  return diskOperatorTokens({ directory: join(around.home, 'operator') });
}

export async function principalFacts(around: Surroundings): Promise<PrincipalFacts> {
  const secret = around.env['PAWL_OPERATOR_TOKEN'];
  return {
    ...ancestry(around.env),
    operatorToken:
      secret === undefined || secret === ''
        ? null
        : await operatorTokens(around).check(secret, nodeClock().now()),
    login: around.login,
  };
}
