/** What old runs left behind: named with why it may go, and removed by a human alone. */
import type { Instant } from '../domain/ids.ts';
import type { Client, PruneFilter, RunView } from '../ports/client.ts';
import type { PruneItem, PruneSubject, Workspace } from '../ports/workspace.ts';
import type { OperatorEdge } from './operator-edge.ts';

export interface PruningOptions {
  readonly client: Pick<Client, 'list'>;
  readonly edge: OperatorEdge;
  readonly workspace: () => Promise<Workspace>;
  readonly now: () => Instant;
}

const runsMax = 10_000;

export function pruning(options: PruningOptions): Pick<Client, 'prunable' | 'prune'> {
  const { client, edge } = options;
  return {
    prunable: async (filter) => {
      const runs = await client.list({
        project: filter.project,
        open: false,
        status: [],
        since: null,
        limit: runsMax,
        demo: true,
      });
      const workspace = await options.workspace();
      const items: PruneItem[] = [];
      for (const [root, subjects] of byRoot(runs)) {
        items.push(...(await workspace.prunable(root, subjects)));
      }
      const wanted = new Set(
        runs.filter((run) => isWanted(run, filter, options.now())).map(({ id }) => id),
      );
      // Leftovers of no run are offered too, unless only some runs were asked for.
      const isNarrow = filter.landedOnly || filter.olderThanMs !== null;
      return items.filter(({ run }) => (run === null ? !isNarrow : wanted.has(run)));
    },
    prune: async (items, principal) => {
      await edge.human('prune', null, principal);
      const workspace = await options.workspace();
      let freedBytes = 0;
      for (const item of items) {
        await workspace.prune(item);
        freedBytes += item.bytes;
      }
      return { freedBytes };
    },
  };
}

/** Every run of a root is told, so that what belongs to an open one is known to be in use. */
function byRoot(runs: readonly RunView[]): ReadonlyMap<string, readonly PruneSubject[]> {
  const roots = new Map<string, PruneSubject[]>();
  for (const { id, name, short, endedAt, landed, project } of runs) {
    const subjects = roots.get(project) ?? [];
    const ended = endedAt !== null;
    subjects.push({ run: id, name, short, ended, landed: landed !== null, endedAt });
    roots.set(project, subjects);
  }
  return roots;
}

function isWanted(run: RunView, filter: PruneFilter, now: Instant): boolean {
  if (run.endedAt === null) return false;
  if (filter.landedOnly && run.landed === null) return false;
  return filter.olderThanMs === null || now - run.endedAt >= filter.olderThanMs;
}
