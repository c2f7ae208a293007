/**
 * Tokens by which a script or a chat bot speaks for a human (DESIGN §11a, UX 0.4): made in a
 * terminal, shown once, kept as a digest, valid for a time and for named verbs.
 */
import type { Instant } from '../domain/ids.ts';
import type { TokenVerb } from '../kernel/token-verbs.ts';

export interface OperatorToken {
  readonly id: string;
  /** Who made it. */
  readonly by: string;
  readonly scope: readonly TokenVerb[];
  readonly createdAt: Instant;
  readonly expiresAt: Instant;
}

export type TokenCheck =
  | { readonly ok: true; readonly token: OperatorToken }
  /** One sentence that tells nothing about the secret. */
  | { readonly ok: false; readonly why: string };

export interface OperatorTokens {
  /** Durable before it answers; `secret` is told this once and kept nowhere. */
  create(request: {
    readonly by: string;
    readonly scope: readonly TokenVerb[];
    readonly forMs: number;
    readonly now: Instant;
  }): Promise<{ readonly token: OperatorToken; readonly secret: string }>;
  /** Those that have not expired, the newest first. */
  list(now: Instant): Promise<readonly OperatorToken[]>;
  /** False when there is none of that id. */
  revoke(id: string): Promise<boolean>;
  check(secret: string, now: Instant): Promise<TokenCheck>;
}
