/**
 * {@link OperatorTokens} as files of a private folder (0700 and 0600, outside every work tree), or
 * as facts of the store, where every server of a database knows them. A secret is 32 random bytes,
 * so a plain digest of it cannot be guessed back; digests are compared in constant time.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { WorldError } from '../kernel/errors.ts';
import { parsedJson } from '../kernel/json.ts';
import { tokenVerbs } from '../kernel/token-verbs.ts';
import type { OperatorToken, OperatorTokens, TokenCheck } from '../ports/operator-tokens.ts';
import type { Store } from '../ports/store.ts';
import { writeDurably } from './durable-file.ts';

const form = /^pawl_op_([0-9a-f]{12})_([\w-]{43})$/;
const idForm = /^[0-9a-f]{12}$/;
const tokensMax = 1_000;
/** So long after its end a token is still told that it expired. */
const forgottenMs = 30 * 24 * 3_600_000;

type Kept = OperatorToken & { readonly digest: string };

/** Where tokens are kept, each under its id. */
interface Keeping {
  read(id: string): Promise<string | null>;
  /** Durable before it answers. */
  write(id: string, text: string): Promise<void>;
  ids(): Promise<readonly string[]>;
  /** False when there is none of that id. */
  remove(id: string): Promise<boolean>;
}

export function diskOperatorTokens(options: { readonly directory: string }): OperatorTokens {
  const { directory } = options;
  const pathOf = (id: string): string => join(directory, `${id}.json`);
  const unlessMissing = async <T>(action: Promise<T>): Promise<T | null> => {
    try {
      return await action;
    } catch (error: unknown) {
      if (isMissing(error)) return null;
      throw error;
    }
  };
  return tokensKept({
    read: (id) => unlessMissing(readFile(pathOf(id), 'utf8')),
    write: async (id, text) => {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      await chmod(directory, 0o700);
      writeDurably(pathOf(id), text);
    },
    ids: () => idsIn(directory),
    remove: async (id) => (await unlessMissing(unlink(pathOf(id)).then(() => true))) === true,
  });
}

type Facts = Pick<Store, 'fact' | 'facts' | 'swapFact'>;

const fact = 'operator/token/';

/** Those of a store: whoever has it open knows them. */
export function storeOperatorTokens(store: Facts): OperatorTokens {
  const remove = async (id: string): Promise<boolean> => {
    const kept = await store.fact(`${fact}${id}`);
    return kept !== null && store.swapFact(`${fact}${id}`, kept, null);
  };
  return tokensKept({
    read: (id) => store.fact(`${fact}${id}`),
    write: async (id, text) => {
      const isNew = await store.swapFact(`${fact}${id}`, null, text);
      if (!isNew) throw new WorldError('store_unusable', 'the token could not be kept');
    },
    ids: async () => {
      const all = await store.facts(fact, tokensMax);
      return all.map(({ name }) => name.slice(fact.length));
    },
    remove,
  });
}

/** Tokens of two places as one: made in the first, known from both. */
export function eitherTokens(first: OperatorTokens, second: OperatorTokens): OperatorTokens {
  return {
    create: (request) => first.create(request),
    list: async (now) => [...(await first.list(now)), ...(await second.list(now))].sort(newest),
    revoke: async (id) => (await first.revoke(id)) || (await second.revoke(id)),
    check: async (secret, now) => {
      const found = await first.check(secret, now);
      if (found.ok) return found;
      const other = await second.check(secret, now);
      return other.ok ? other : found;
    },
  };
}

const newest = (a: OperatorToken, b: OperatorToken): number => b.createdAt - a.createdAt;

function tokensKept(keeping: Keeping): OperatorTokens {
  const read = async (id: string): Promise<Kept | null> => {
    const text = await keeping.read(id);
    return text === null ? null : keptOf(text);
  };
  const kept = async (): Promise<readonly Kept[]> => {
    const all = await Promise.all((await keeping.ids()).map(read));
    return all.filter((one) => one !== null);
  };
  return {
    create: async ({ by, scope, forMs, now }) => {
      const id = randomBytes(6).toString('hex');
      const secret = randomBytes(32).toString('base64url');
      const token = { id, by, scope, createdAt: now, expiresAt: (now + forMs) as typeof now };
      for (const one of await kept()) {
        if (now - one.expiresAt > forgottenMs) await keeping.remove(one.id);
      }
      await keeping.write(id, `${JSON.stringify({ ...token, digest: digestOf(secret) })}\n`);
      return { token, secret: `pawl_op_${id}_${secret}` };
    },
    list: async (now) =>
      (await kept())
        .filter(({ expiresAt }) => expiresAt > now)
        .map(({ digest: _digest, ...token }) => token)
        .sort(newest),
    revoke: async (id) => idForm.test(id) && (await keeping.remove(id)),
    check: async (given, now) => {
      const [, id, secret] = form.exec(given) ?? [];
      if (id === undefined || secret === undefined) return refused('it is no token of pawl');
      return judge(await read(id), secret, now);
    },
  };
}

function judge(kept: Kept | null, secret: string, now: number): TokenCheck {
  if (kept === null) return refused('it is not known here, or was revoked');
  const given = Buffer.from(digestOf(secret));
  const known = Buffer.from(kept.digest);
  if (given.length !== known.length || !timingSafeEqual(given, known)) {
    return refused('it is not known here, or was revoked');
  }
  if (now >= kept.expiresAt) {
    return refused(`it expired at ${new Date(kept.expiresAt).toISOString()}`);
  }
  const { digest: _digest, ...token } = kept;
  return { ok: true, token };
}

const refused = (why: string): TokenCheck => ({ ok: false, why });

const digestOf = (secret: string): string => createHash('sha256').update(secret).digest('hex');

async function idsIn(directory: string): Promise<readonly string[]> {
  try {
    const names = await readdir(directory);
    return names
      .map((name) => name.replace(/\.json$/, ''))
      .filter((id) => idForm.test(id))
      .slice(0, tokensMax);
  } catch (error: unknown) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** A file that is not what we wrote opens nothing. */
function keptOf(text: string): Kept | null {
  const value = parsedJson(text);
  if (typeof value !== 'object' || value === null) return null;
  const { id, by, scope, createdAt, expiresAt, digest } = value as Record<string, unknown>;
  const verbs = Array.isArray(scope) ? tokenVerbs.filter((verb) => scope.includes(verb)) : [];
  const isWhole =
    typeof id === 'string' &&
    typeof by === 'string' &&
    typeof digest === 'string' &&
    Number.isSafeInteger(createdAt) &&
    Number.isSafeInteger(expiresAt);
  return isWhole ? ({ id, by, scope: verbs, createdAt, expiresAt, digest } as Kept) : null;
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT';
