/**
 * The store of this machine into an empty database (`pawl db copy`).
 *
 * Invariants:
 *   P1. The file is held still meanwhile and is never written.
 *   P2. Rows come in one transaction: whoever is interrupted, in whatever way, leaves an empty
 *       store. Bytes of artifacts come before it; they are named by what they are, so a second
 *       try finds them, and without one they are collected like all that nobody refers to. The
 *       commit holds every one of them: no row is ever seen without its bytes.
 *   P3. Every chain and the registry are checked in the file before and in the database after, and
 *       both reports must say the same; else nothing is committed.
 *   P4. Of both sides a page is in memory, and one stream while it is checked.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { WorldError } from '../../kernel/errors.ts';
import type { AuditReport } from '../../ports/store.ts';
import type { CopyReport } from '../../ports/store-admin.ts';
import { shownAddress } from '../postgres/address.ts';
import { auditSnapshot } from '../postgres/audit-database.ts';
import { openDatabase, type Session } from '../postgres/connect.ts';
import { ownReads } from '../postgres/own-reads.ts';
import { storeError } from '../postgres/pg-error.ts';
import { migrateDatabase } from '../postgres/postgres-store.ts';
import { type All, reads } from '../reads.ts';
import { storeCounts } from '../sql/counts.ts';
import { auditSnapshot as auditFile } from '../sqlite/audit-file.ts';
import { sqliteBinding } from '../sqlite/binding.ts';
import type { Connection } from '../sqlite/connection.ts';
import { openForWriting } from '../sqlite/open-file.ts';
import { patiently } from '../sqlite/patience.ts';
import { checkBytes, copyBytes, holdReferred } from './artifacts.ts';
import type { CopyOptions } from './options.ts';
import { checkSource, countRows, pagesOf, refused } from './source.ts';
import { copiedTables } from './tables.ts';
import { beginCopy, checkEmpty, numberOn, writePage } from './target.ts';

/** @throws RequestError `copy_refused`; else as who opens either store. */
export async function copyStore(options: CopyOptions): Promise<CopyReport> {
  const { directory, clock } = options;
  const file = join(directory, 'store.db');
  if (!existsSync(file)) throw refused(`there is no store to copy at ${file}`);
  const source = await openForWriting({ binding: sqliteBinding(), file, clock });
  try {
    await patiently(clock, () => source.exec('begin immediate'));
    return await copyHeld(options, file, source);
  } finally {
    source.close();
  }
}

async function copyHeld(
  options: CopyOptions,
  file: string,
  source: Connection,
): Promise<CopyReport> {
  try {
    const audit = await auditFile(source);
    checkSource(source, audit, options.lives);
    // Looked at before anything is made there, and again where nobody else can write.
    await migrateDatabase(options);
    await inDatabase(options.url, checkEmpty);
    const artifacts = await checkBytes(source, options.artifacts);
    await copyBytes(source, options, artifacts);
    await inDatabase(options.url, (session) => copyRows(options, { source, audit }, session));
    const counts = source.get(storeCounts) ?? { runs: 0, living: 0, events: 0 };
    return { from: file, to: shownAddress(options.url), ...counts, artifacts };
  } finally {
    // It has written nothing. By word, since a close may not let go of the file at once.
    source.exec('rollback');
  }
}

async function inDatabase<T>(url: string, action: (session: Session) => Promise<T>): Promise<T> {
  const database = await openDatabase({ url, connectionsMax: 1 });
  try {
    return await database.with(action);
  } catch (error: unknown) {
    throw storeError(error);
  } finally {
    await database.close();
  }
}

interface Source {
  readonly source: Connection;
  readonly audit: AuditReport;
}

async function copyRows(
  { progress, judge }: CopyOptions,
  { source, audit }: Source,
  session: Session,
): Promise<void> {
  await session.exec(beginCopy);
  await checkEmpty(session);
  const of = copiedTables.reduce((sum, table) => sum + countRows(source, table), 0);
  let done = 0;
  for (const table of copiedTables) {
    for (const page of pagesOf(source, table)) {
      const written = await writePage(session, table, page);
      if (written !== page.length) throw incomplete(`${written} of ${page.length} ${table.name}`);
      done += written;
      progress({ table: table.name, done, of });
    }
  }
  await numberOn(session);
  checkCopied(audit, await auditSnapshot(session));
  const all: All = (query, ...values) => session.all(query, ...values);
  const [wrong] = await judge(reads(all, ownReads(all)));
  if (wrong !== undefined) throw incomplete(`${wrong.stream}: ${wrong.what}`);
  await holdReferred(session);
  await session.exec('commit');
}

/** Both say the same of every stream: how many, how long, which heads were signed. */
function checkCopied(before: AuditReport, after: AuditReport): void {
  const [problem] = after.problems;
  if (problem !== undefined) {
    throw incomplete(`${problem.stream} version ${problem.version}: ${problem.what}`);
  }
  const [was, is] = [JSON.stringify(before), JSON.stringify(after)];
  if (was !== is) throw incomplete('the two stores do not say the same of their chains');
}

const incomplete = (what: string): WorldError =>
  new WorldError('store_unusable', `the copy is not what was copied: ${what}`, {
    so: 'nothing was kept of it',
  });
