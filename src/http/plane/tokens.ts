/**
 * Tokens of the worker plane: EdDSA and nothing else, short-lived, each for one audience. A server
 * signs with a key of its own whose public part is a fact of the store; keys change while both the
 * last and the next one are valid, and any server proves what another has signed.
 *
 * A token says who speaks; whether he may is asked of the grant row.
 */
import type { CryptoKey, JWTPayload } from 'jose';
import type { PlaneBinding } from '../../contract/plane-words.ts';
import type { PlaneKey } from '../../engine/plane-workers.ts';
import { fieldsOf } from '../../kernel/json.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Instant } from '../../ports/words.ts';

type Audience = 'pawl-plane-challenge' | 'pawl-plane-worker' | 'pawl-plane-execution';

export interface WorkerClaims {
  readonly worker: string;
  readonly bootId: string;
}
export interface ExecutionClaims extends WorkerClaims {
  readonly binding: PlaneBinding;
}

export type TokenProof<T> =
  | { readonly ok: true; readonly claims: T }
  | { readonly ok: false; readonly code: 'token.expired' | 'token.invalid' };

export interface PlaneTokens {
  challenge(worker: string): Promise<string>;
  worker(claims: WorkerClaims): Promise<{ readonly token: string; readonly expiresInMs: number }>;
  execution(
    claims: ExecutionClaims,
    ttlMs: number,
  ): Promise<{ readonly token: string; readonly expiresInMs: number }>;
  proveChallenge(token: string): Promise<TokenProof<Pick<WorkerClaims, 'worker'>>>;
  proveWorker(token: string): Promise<TokenProof<WorkerClaims>>;
  proveExecution(token: string): Promise<TokenProof<ExecutionClaims>>;
}

export interface PlaneTokensOptions {
  readonly clock: Pick<Clock, 'now'>;
  readonly keys: {
    publishKey(key: PlaneKey): Promise<void>;
    keys(): Promise<readonly PlaneKey[]>;
  };
  /** 16 random bytes in hex: names of tokens and of keys. */
  readonly nonce: () => string;
  /** How long a key signs; it proves for as long again. */
  readonly rotateMs?: number;
}

const algorithm = 'EdDSA';
const issuer = 'pawl';
const challengeMs = 30_000;
const workerMs = 5 * 60_000;
const rotateMsByDefault = 12 * 3_600_000;
/** Keys that are read are believed for this long; an unknown one is looked up at once. */
const knownMsMax = 60_000;

interface Signing {
  readonly kid: string;
  readonly privateKey: CryptoKey;
  readonly untilMs: number;
}

export function planeTokens(options: PlaneTokensOptions): PlaneTokens {
  const { clock, nonce } = options;
  const ring = keyRing(options);
  const signed = async (audience: Audience, forMs: number, claims: JWTPayload) => {
    const { SignJWT } = await jose();
    const { kid, privateKey } = await ring.signing();
    const now = clock.now();
    const token = await new SignJWT(claims)
      .setProtectedHeader({ alg: algorithm, kid, typ: 'JWT' })
      .setIssuer(issuer)
      .setAudience(audience)
      .setIssuedAt(Math.floor(now / 1000))
      .setExpirationTime(Math.floor((now + forMs) / 1000))
      .setJti(nonce())
      .sign(privateKey);
    return { token, expiresInMs: forMs };
  };
  const prove = async <T>(
    token: string,
    audience: Audience,
    read: (claims: JWTPayload) => T | null,
  ): Promise<TokenProof<T>> => {
    const { errors, jwtVerify } = await jose();
    try {
      const { payload } = await jwtVerify(token, ({ kid }) => ring.proving(kid), {
        algorithms: [algorithm],
        audience,
        issuer,
        currentDate: new Date(clock.now()),
        requiredClaims: ['exp', 'jti'],
      });
      const claims = read(payload);
      return claims === null ? invalid : { ok: true, claims };
    } catch (error: unknown) {
      if (error instanceof errors.JWTExpired) return { ok: false, code: 'token.expired' };
      if (error instanceof errors.JOSEError || error instanceof TypeError) return invalid;
      throw error;
    }
  };
  return {
    challenge: async (worker) =>
      (await signed('pawl-plane-challenge', challengeMs, { sub: worker })).token,
    worker: ({ worker, bootId }) =>
      signed('pawl-plane-worker', workerMs, { sub: worker, boot: bootId }),
    execution: ({ worker, bootId, binding }, ttlMs) =>
      signed('pawl-plane-execution', 2 * ttlMs, { sub: worker, boot: bootId, binding }),
    proveChallenge: (token) => prove(token, 'pawl-plane-challenge', challenged),
    proveWorker: (token) => prove(token, 'pawl-plane-worker', workerIn),
    proveExecution: (token) => prove(token, 'pawl-plane-execution', executionIn),
  };
}

const invalid = { ok: false, code: 'token.invalid' } as const;

const challenged = ({ sub }: JWTPayload) => (sub === undefined ? null : { worker: sub });

function workerIn(claims: JWTPayload): WorkerClaims | null {
  const { sub } = claims;
  const bootId = claims['boot'];
  return sub === undefined || typeof bootId !== 'string' ? null : { worker: sub, bootId };
}

/** Signed by a server of ours: its shape is known, and is compared field by field all the same. */
function executionIn(claims: JWTPayload): ExecutionClaims | null {
  const worker = workerIn(claims);
  const binding = fieldsOf(claims['binding']);
  if (worker === null || typeof binding['execution'] !== 'string') return null;
  return { ...worker, binding: binding as unknown as PlaneBinding };
}

interface KeyRing {
  signing(): Promise<Signing>;
  proving(kid: string | undefined): Promise<CryptoKey>;
}

function keyRing({
  clock,
  keys,
  nonce,
  rotateMs = rotateMsByDefault,
}: PlaneTokensOptions): KeyRing {
  let current: Promise<Signing> | null = null;
  let known: { readonly at: Instant; readonly keys: ReadonlyMap<string, CryptoKey> } | null = null;
  const make = async (): Promise<Signing> => {
    const { exportJWK, generateKeyPair } = await jose();
    const { privateKey, publicKey } = await generateKeyPair(algorithm, { crv: 'Ed25519' });
    const { x } = await exportJWK(publicKey);
    const kid = nonce();
    const untilMs = clock.now() + rotateMs;
    const until = (untilMs + rotateMs) as Instant;
    await keys.publishKey({ kid, publicKey: x ?? '', until });
    return { kid, privateKey, untilMs };
  };
  const read = async () => {
    const { importJWK } = await jose();
    const found = new Map<string, CryptoKey>();
    for (const { kid, publicKey } of await keys.keys()) {
      const jwk = { kty: 'OKP', crv: 'Ed25519', x: publicKey };
      found.set(kid, (await importJWK(jwk, algorithm)) as CryptoKey);
    }
    known = { at: clock.now(), keys: found };
    return known;
  };
  return {
    signing: async () => {
      const own = current === null ? null : await current;
      if (own !== null && clock.now() < own.untilMs) return own;
      const made = make();
      current = made;
      made.catch(() => {
        current = null;
      });
      return made;
    },
    proving: async (kid) => {
      const { errors } = await jose();
      if (kid === undefined) throw new errors.JWSInvalid('no key is named');
      const isOld = known === null || clock.now() - known.at > knownMsMax;
      const keysNow = isOld || known?.keys.has(kid) !== true ? await read() : known;
      const key = keysNow.keys.get(kid);
      if (key === undefined) throw new errors.JWSInvalid('no such key');
      return key;
    },
  };
}

/** Only a server needs it. */
const jose = () => import('jose');
