/** Who types, and the tokens by which others may pass gates for an operator. */
import { join } from 'node:path';
import type { PrincipalFacts } from '../cli/principal.ts';
import { ancestry } from '../host/ancestry.ts';
import { nodeClock } from '../host/clock.ts';
import { diskOperatorTokens, eitherTokens, storeOperatorTokens } from '../host/operator-tokens.ts';
import type { OperatorTokens } from '../ports/operator-tokens.ts';
import type { Store } from '../ports/store.ts';
import type { Instant } from '../ports/words.ts';
import type { Surroundings } from './surroundings.ts';

type Where = Pick<Surroundings, 'home' | 'database'>;

const inHome = ({ home }: Pick<Surroundings, 'home'>): OperatorTokens =>
  diskOperatorTokens({ directory: join(home, 'operator') });

/**
 * Of this home; with a database those that every server of it knows as well, and new ones there.
 */
export function serverTokens(around: Where, store: Store): OperatorTokens {
  const own = inHome(around);
  return around.database === null ? own : eitherTokens(storeOperatorTokens(store), own);
}

/**
 * As {@link serverTokens}, for a command that has no store open: each call opens it. A database
 * tells the time to all of its machines, so it is that which counts, whatever the caller says.
 */
export function operatorTokens(around: Surroundings): OperatorTokens {
  if (around.database === null) return inHome(around);
  const over = async <T>(use: (tokens: OperatorTokens, now: Instant) => Promise<T>): Promise<T> => {
    const { openStore } = await import('./open-store.ts');
    const { store, clock } = await openStore(around);
    try {
      return await use(serverTokens(around, store), clock.now());
    } finally {
      await store.close();
    }
  };
  return {
    create: (request) => over((tokens, now) => tokens.create({ ...request, now })),
    list: () => over((tokens, now) => tokens.list(now)),
    revoke: (id) => over((tokens) => tokens.revoke(id)),
    check: (secret) => over((tokens, now) => tokens.check(secret, now)),
  };
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
