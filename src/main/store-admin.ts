/** Care of the store of this machine, or of the database that is named. */
import { hostname } from 'node:os';
import { isUnlanded } from '../cli/ready-to-land.ts';
import type { Instant } from '../domain/ids.ts';
import { nodeClock } from '../host/clock.ts';
import { holderLives } from '../host/identity.ts';
import { RequestError } from '../kernel/errors.ts';
import type { RunRow, SeatRow } from '../ports/store.ts';
import type { ArchiveReport, ArchiveRequest, StoreAdmin } from '../ports/store-admin.ts';
import { diskArtifacts } from '../store/artifacts/disk-artifacts.ts';
import { migrateFile } from '../store/sqlite/sqlite-store.ts';
import { fileStatus } from '../store/sqlite/status.ts';
import { openStore } from './open-store.ts';
import { artifactDirectory, keyDirectory } from './places.ts';
import { type Surroundings, withDatabase } from './surroundings.ts';

export function storeAdmin(around: Surroundings, named: string | null): StoreAdmin {
  const { home, database } = withDatabase(around, named);
  const clock = nodeClock();
  return {
    status: async () => {
      const { seats, ...status } =
        database === null ? fileStatus(home) : await statusOfDatabase(database);
      return { ...status, seats: seats.map((seat) => ({ ...seat, lives: lives(seat) })) };
    },
    migrate: async () => {
      if (database === null) return await migrateFile({ directory: home, clock });
      const { migrateDatabase } = await import('../store/postgres/postgres-store.ts');
      return await migrateDatabase({ url: database, clock });
    },
    copy: async (to, progress) => {
      const url = to ?? database;
      if (url === null) throw noTarget();
      const [{ copyStore }, { auditProjections }] = await Promise.all([
        import('../store/copy/copy-store.ts'),
        import('../engine/audit-projection.ts'),
      ]);
      return await copyStore({
        directory: home,
        url,
        clock,
        artifacts: diskArtifacts({ directory: artifactDirectory(around) }),
        // One of another machine is nobody that could write to this file.
        lives: (seat) => lives(seat) === true,
        judge: async (read) => (await auditProjections(read)).problems,
        progress,
      });
    },
    archive: (request) => archive(withDatabase(around, named), request),
    checkArchive: async (text, key) => {
      const [{ checkArchive }, { openHead }, { diskSigner }] = await Promise.all([
        import('../store/archive/file.ts'),
        import('../verify/heads.ts'),
        import('../verify/signer.ts'),
      ]);
      const pem = key ?? diskSigner({ directory: keyDirectory(around) }).publicKeyPem;
      return checkArchive(text, { open: (statement) => openHead(statement, pem) });
    },
  };
}

async function archive(
  around: Surroundings,
  { olderThanMs, unlanded, dry }: ArchiveRequest,
): Promise<ArchiveReport> {
  const opened = await openStore(around);
  try {
    const [{ runtimeOver }, { archiveRuns }, { views }] = await Promise.all([
      import('./runtime.ts'),
      import('../store/archive/archive-runs.ts'),
      import('../engine/views.ts'),
    ]);
    const runtime = runtimeOver(opened);
    const shown = views(runtime.engine, { lives: holderLives, drives: () => true });
    const { store, artifacts, clock } = opened;
    const isDemo = async (row: RunRow) => (await shown.definition(row))?.project.kind === 'demo';
    return await archiveRuns({
      ...{ store, artifacts, clock, dry, seal: () => runtime.heads() },
      before: (clock.now() - olderThanMs) as Instant,
      keeps: async (run) => {
        const [row] = await store.runs({ match: run, limit: 1 });
        if (row === undefined) return null;
        const view = await shown.of(row);
        const { project, branch, short } = view;
        if (branch === null) return null;
        if (!unlanded && isUnlanded(view) && view.head !== null && !(await isDemo(row))) {
          return `its verified work has not landed: pawl land ${short}, or --unlanded`;
        }
        const tree = await (await runtime.workspace()).locate(project, branch);
        return tree === null ? null : `its worktree is there: ${tree}`;
      },
    });
  } finally {
    await opened.store.close();
  }
}

async function statusOfDatabase(url: string) {
  const { databaseStatus } = await import('../store/postgres/status.ts');
  return await databaseStatus(url);
}

const noTarget = (): RequestError =>
  new RequestError('bad_value', 'no database is named to copy to', {
    where: '--to',
    allowed: 'postgres://user@host:5432/name, here or in PAWL_DATABASE',
  });

/** Whether a process of another machine lives is not seen from here. */
const lives = ({ holder }: SeatRow): boolean | null =>
  holder.worker === hostname() ? holderLives(holder) : null;
