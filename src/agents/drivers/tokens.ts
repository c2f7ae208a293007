/** What a program counted of a turn, without money. */
import type { Usage } from '../../domain/execution/state.ts';

export type Tokens = Pick<Usage, 'tokensIn' | 'tokensOut' | 'cacheRead' | 'cacheWrite'>;

export const noTokens: Tokens = { tokensIn: 0, tokensOut: 0, cacheRead: 0, cacheWrite: 0 };

export const sum = (one: Tokens, other: Tokens): Tokens => ({
  tokensIn: one.tokensIn + other.tokensIn,
  tokensOut: one.tokensOut + other.tokensOut,
  cacheRead: one.cacheRead + other.cacheRead,
  cacheWrite: one.cacheWrite + other.cacheWrite,
});
