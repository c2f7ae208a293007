/** What old runs left behind: named with why it may go, and removed by a human alone. */
import type { Instant } from '../domain/ids.ts';
import { never } from '../kernel/cancel-signal.ts';
import type { Client, PruneFilter, RunView } from '../ports/client.ts';
import type { ArtifactCollector } from '../ports/collector.ts';
import type { PruneItem, PruneSubject, Workspace } from '../ports/workspace.ts';
import { type Collecting, collectOrphans } from './collecting.ts';
import type { OperatorEdge } from './operator-edge.ts';

export interface PruningOptions {
  readonly client: Pick<Client, 'list'>;
  readonly edge: OperatorEdge;
  readonly workspace: () => Promise<Workspace>;
  readonly engine: Collecting;
  readonly collector: ArtifactCollector | undefined;
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
        runs.filter((run) => isWanted(run, filter, options.engine.clock.now())).map(({ id }) => id),
      );
      // Leftovers of no run are offered too, unless only some runs were asked for.
      const isNarrow = filter.landedOnly || filter.olderThanMs !== null;
      const orphans = isNarrow ? [] : await orphansOf(options);
      return [
        ...items.filter(({ run }) => (run === null ? !isNarrow : wanted.has(run))),
        ...orphans,
      ];
    },
    prune: async (items, principal) => {
      await edge.human('prune', null, principal);
      const workspace = await options.workspace();
      let freedBytes = 0;
      for (const item of items) {
        if (item.artifacts !== undefined) continue;
        await workspace.prune(item);
        freedBytes += item.bytes;
      }
      // Last: a disk that was full has room by now for what is written before artifacts go.
      if (items.some(({ artifacts }) => artifacts !== undefined)) {
        freedBytes += await collect(options);
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

/** Of all projects, since they are of no run; nothing is written to find them. */
async function orphansOf({ engine, collector }: PruningOptions): Promise<readonly PruneItem[]> {
  if (collector === undefined) return [];
  const found = await collectOrphans(engine, collector, { signal: never, dry: true });
  if (found === null || found.files === 0) return [];
  const { path } = collector;
  const safeBecause = 'artifacts that no run refers to and nobody has stored for a day';
  const item = { run: null, path, branch: null, root: path, safeBecause };
  return [{ ...item, bytes: found.bytes, artifacts: found.files }];
}

async function collect({ engine, collector }: PruningOptions): Promise<number> {
  if (collector === undefined) return 0;
  return (await collectOrphans(engine, collector, { signal: never }))?.bytes ?? 0;
}
