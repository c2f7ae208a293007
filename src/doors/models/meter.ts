/**
 * Adds up what a door metered. Tokens of a model without a price count; its cost is not guessed.
 */
import type { CallTokens, DoorUsage, MeteredCall, Spend } from '../../ports/models-door.ts';

export interface Meter {
  add(call: MeteredCall): void;
  usage(): DoorUsage;
}

const unpricedMax = 20;

export function meter(): Meter {
  let calls = 0;
  let inexact = 0;
  let priced = 0;
  let costUsd = 0;
  const sum = { tokensIn: 0, tokensOut: 0, cacheRead: 0, cacheWrite: 0 };
  const unpriced = new Set<string>();
  return {
    add(call) {
      const { tokens } = call;
      calls += 1;
      if (!call.exact) inexact += 1;
      sum.tokensIn += tokens.input;
      sum.tokensOut += tokens.output;
      sum.cacheRead += tokens.cacheRead;
      sum.cacheWrite += tokens.cacheWrite;
      if (call.costUsd !== null) {
        priced += 1;
        costUsd += call.costUsd;
      } else if (unpriced.size < unpricedMax) {
        unpriced.add((call.model ?? 'unknown').slice(0, 200));
      }
    },
    usage: () => ({
      usage: {
        // Of a mixture the known part; `unpriced` says that it is not the whole.
        costUsd: priced === 0 && calls > 0 ? null : costUsd,
        source: 'metered',
        ...sum,
      },
      calls,
      inexact,
      unpriced: [...unpriced],
    }),
  };
}

export function spendOf({ tokens, costUsd }: Pick<MeteredCall, 'tokens' | 'costUsd'>): Spend {
  return { tokens: tokensIn(tokens), costUsd };
}

const tokensIn = ({ input, output, cacheRead, cacheWrite }: CallTokens): number =>
  input + output + cacheRead + cacheWrite;
