/**
 * {@link OperatorTokens} as files of a private folder, one each: 0700 and 0600, outside every work
 * tree. A secret is 32 random bytes, so a plain digest of it cannot be guessed back; digests are
 * compared in constant time.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { parsedJson } from '../kernel/json.ts';
import { tokenVerbs } from '../kernel/token-verbs.ts';
import type { OperatorToken, OperatorTokens, TokenCheck } from '../ports/operator-tokens.ts';
import { writeDurably } from './durable-file.ts';

const form = /^pawl_op_([0-9a-f]{12})_([\w-]{43})$/;
const idForm = /^[0-9a-f]{12}$/;
const tokensMax = 1_000;

type Kept = OperatorToken & { readonly digest: string };

export function diskOperatorTokens(options: { readonly directory: string }): OperatorTokens {
  const { directory } = options;
  const pathOf = (id: string): string => join(directory, `${id}.json`);
  const read = async (id: string): Promise<Kept | null> => {
    try {
      return keptOf(await readFile(pathOf(id), 'utf8'));
    } catch (error: unknown) {
      if (isMissing(error)) return null;
      throw error;
    }
  };
  return {
    create: async ({ by, scope, forMs, now }) => {
      const id = randomBytes(6).toString('hex');
      const secret = randomBytes(32).toString('base64url');
      const token = { id, by, scope, createdAt: now, expiresAt: (now + forMs) as typeof now };
      await mkdir(directory, { recursive: true, mode: 0o700 });
      await chmod(directory, 0o700);
      writeDurably(pathOf(id), `${JSON.stringify({ ...token, digest: digestOf(secret) })}\n`);
      return { token, secret: `pawl_op_${id}_${secret}` };
    },
    list: async (now) => {
      const kept = await Promise.all((await idsIn(directory)).map(read));
      return kept
        .filter((one) => one !== null)
        .filter(({ expiresAt }) => expiresAt > now)
        .map(({ digest: _digest, ...token }) => token)
        .sort((a, b) => b.createdAt - a.createdAt);
    },
    revoke: async (id) => {
      if (!idForm.test(id)) return false;
      try {
        await unlink(pathOf(id));
        return true;
      } catch (error: unknown) {
        if (isMissing(error)) return false;
        throw error;
      }
    },
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
