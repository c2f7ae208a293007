/** Attempts as `show --json` tells them: what each left, and what it cost (UX 2.4). */

import type { Story } from '../ports/story.ts';
import type { Commit, Usage } from '../ports/words.ts';
import type { Context } from './command.ts';
import { fromGit, type Standing } from './ending.ts';
import { iso } from './format.ts';
import { attemptJson } from './wire.ts';

export async function attemptsJson(context: Context, { view, story }: Standing) {
  return await Promise.all(
    view.attempts.map(async (attempt) => {
      const told = story.attempts.get(attempt.n);
      return {
        ...attemptJson(attempt),
        executions: told?.executions ?? [],
        agentVersion: told?.agentVersion ?? null,
        tree: await treeOf(context, view.project, attempt.commit),
        ...spentOn(story, attempt.n),
        startedAt: iso(told?.startedAt ?? null),
      };
    }),
  );
}

/** Null: nothing was recorded, or the repository no longer has it. */
async function treeOf(
  context: Context,
  root: string,
  commit: Commit | null,
): Promise<string | null> {
  if (commit === null) return null;
  return await fromGit(context, (workspace) => workspace.treeOf(root, commit));
}

/**
 * `cost` in USD and what it is made of; null where nobody told. A sum with an unknown part is
 * unknown, not smaller.
 */
export function spentOn(
  story: Story,
  n: number,
): { readonly cost: number | null; readonly usage: Usage | null } {
  const told = [...story.usage]
    .filter(([execution]) => story.attemptOf.get(execution) === n)
    .map(([, usage]) => usage);
  const usage = told.length === 0 ? null : told.reduce(plus);
  return { cost: usage?.costUsd ?? null, usage };
}

function plus(a: Usage, b: Usage): Usage {
  return {
    costUsd: a.costUsd === null || b.costUsd === null ? null : a.costUsd + b.costUsd,
    source: sourceOf(a, b),
    tokensIn: a.tokensIn + b.tokensIn,
    tokensOut: a.tokensOut + b.tokensOut,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
  };
}

/** The weaker of the two: what was metered in part is not metered. */
function sourceOf(a: Usage, b: Usage): Usage['source'] {
  const sources = [a.source, b.source];
  if (sources.includes('none')) return 'none';
  return sources.includes('self-reported') ? 'self-reported' : 'metered';
}
