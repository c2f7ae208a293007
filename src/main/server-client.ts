/**
 * The client of a server, and by which token it asks: the one that is set, or, on the machine of
 * the server, one that is made for this command alone. A human at a terminal makes one for the
 * gates; a program makes one that passes none; a lane makes none.
 */
import type { PrincipalFacts } from '../cli/principal.ts';
import { judgePrincipal } from '../cli/principal.ts';
import { ancestry } from '../host/ancestry.ts';
import { nodeClock } from '../host/clock.ts';
import { type HttpClient, httpClient } from '../http/client.ts';
import { type ProductError, RequestError } from '../kernel/errors.ts';
import { isLoopback } from '../kernel/loopback.ts';
import { tokenVerbs } from '../kernel/token-verbs.ts';
import type { Client } from '../ports/client.ts';
import type { OperatorTokens } from '../ports/operator-tokens.ts';
import { operatorTokens } from './operator.ts';
import type { Surroundings } from './surroundings.ts';

/** `pawl watch` may go on for days: a token is made anew before it ends. */
const tokenMs = 60 * 60_000;
const renewMs = 5 * 60_000;

export async function serverClient(around: Surroundings, url: string): Promise<Client> {
  const own = ownToken(around, url);
  const client = httpClient({ url, ...own });
  return {
    ...client,
    close: async () => {
      await own.end();
      await client.close();
    },
  };
}

/** As {@link judgePrincipal} wants it; what a token is worth is asked of the server. */
export async function serverPrincipal(around: Surroundings, url: string): Promise<PrincipalFacts> {
  const facts = { ...ancestry(around.env), login: around.login };
  const secret = setToken(around);
  if (secret === null) return { ...facts, operatorToken: null };
  const client = httpClient({ url, secret: async () => secret });
  try {
    return { ...facts, operatorToken: { ok: true, token: await client.token() } };
  } catch (error: unknown) {
    if (!(error instanceof RequestError && error.code === 'token_refused')) throw error;
    return { ...facts, operatorToken: { ok: false, why: error.details.found ?? 'refused' } };
  } finally {
    await client.close();
  }
}

/** For `pawl serve --drain`. */
export async function drainServer(around: Surroundings, url: string): Promise<void> {
  const own = ownToken(around, url);
  const client: HttpClient = httpClient({ url, ...own });
  try {
    await client.drain();
  } finally {
    await own.end();
    await client.close();
  }
}

function setToken({ env }: Pick<Surroundings, 'env'>): string | null {
  const secret = env['PAWL_OPERATOR_TOKEN'];
  return secret === undefined || secret === '' ? null : secret;
}

interface OwnToken {
  readonly secret: () => Promise<string | null>;
  /** Whose token was made here is told that none is set, when the server knows it not. */
  readonly meaning: (refusal: ProductError) => ProductError;
  /** What was made is revoked. */
  end(): Promise<void>;
}

function ownToken(around: Surroundings, url: string): OwnToken {
  const set = setToken(around);
  if (set !== null || !isThisMachine(url)) {
    return { secret: async () => set, meaning: (refusal) => refusal, end: async () => {} };
  }
  const tokens = operatorTokens(around);
  let made: Promise<Made | null> | null = null;
  return {
    secret: async () => {
      const before = await made;
      const isOver = before !== null && before.expiresAt - nodeClock().now() < renewMs;
      if (made === null || isOver) made = make(around, tokens);
      return (await made)?.secret ?? null;
    },
    meaning: (refusal) => (refusal.code === 'token_refused' ? noneSet() : refusal),
    end: async () => {
      const last = await made;
      if (last !== null) await tokens.revoke(last.id);
    },
  };
}

interface Made {
  readonly id: string;
  readonly secret: string;
  readonly expiresAt: number;
}

async function make(around: Surroundings, tokens: OperatorTokens): Promise<Made | null> {
  const facts = { ...ancestry(around.env), login: around.login, operatorToken: null };
  const { principal } = judgePrincipal(facts);
  if (principal.kind === 'lane') return null;
  const { token, secret } = await tokens.create({
    by: principal.actor,
    scope: principal.kind === 'human' ? tokenVerbs : [],
    forMs: tokenMs,
    now: nodeClock().now(),
  });
  return { id: token.id, secret, expiresAt: token.expiresAt };
}

const noneSet = (): RequestError =>
  new RequestError('token_missing', 'no operator token is set', {
    where: 'PAWL_OPERATOR_TOKEN',
    found: 'nothing, and one made with the PAWL_HOME of this shell is not known to that server',
  });

function isThisMachine(url: string): boolean {
  return isLoopback(new URL(url).hostname.replace(/^\[|\]$/g, ''));
}
