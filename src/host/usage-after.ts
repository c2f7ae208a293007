import type { Usage } from '../domain/execution/state.ts';

/** Of an execution whose earlier turns had used `before`. What was not told is not known. */
export function usageAfter(before: Usage | null, usage: Usage | null): Usage | null {
  if (before === null || usage === null) return usage ?? before;
  const isPriced = before.costUsd !== null && usage.costUsd !== null;
  return {
    costUsd: isPriced ? (before.costUsd ?? 0) + (usage.costUsd ?? 0) : null,
    source: usage.source,
    tokensIn: before.tokensIn + usage.tokensIn,
    tokensOut: before.tokensOut + usage.tokensOut,
    cacheRead: before.cacheRead + usage.cacheRead,
    cacheWrite: before.cacheWrite + usage.cacheWrite,
  };
}
