/** One round of the drain: a batch from its load to its commit, and the question that is left. */
import { WorldError } from '../../kernel/errors.ts';
import { invariant } from '../../kernel/invariant.ts';
import type { Settled } from '../../ports/store.ts';
import { emptyRegistry, type RegistryHead, registryKey } from '../audit.ts';
import { storeFormat } from '../chain.ts';
import { patienceMs, pauseMs } from '../pause.ts';
import { getMeta } from '../sql/meta.ts';
import type { StateText } from '../state-text.ts';
import { type Batch, batch, type Loaded } from './batch.ts';
import { batchRows, numbered } from './batch-rows.ts';
import type { Session } from './connect.ts';
import { checkFormat } from './migrate.ts';
import type { DrainOptions, Pending } from './pending.ts';
import { isContended, isLost } from './pg-error.ts';
import { lockRegistry, lockRuns, lockWorkers } from './sql/locks.ts';
import {
  endBackend,
  heldByWorkers,
  type LoadedColumns,
  loadRuns,
  writtenHeads,
} from './sql/reads.ts';
import { type Written, writeBatch } from './sql/write-batch.ts';

export interface Round extends DrainOptions {
  readonly taken: readonly Pending[];
  readonly means: { readonly salt: () => string; readonly states: StateText };
  /** Some of the runs are fought for: they are locked before they are read. */
  readonly queued: boolean;
}

export interface RoundEnd {
  /** Or nobody knows. */
  readonly wrote: boolean;
  readonly answers: readonly (readonly [Pending, Settled<unknown>])[];
  /** Their run had moved; in their order. */
  readonly again: readonly Pending[];
  /** Came too late for this transaction. */
  readonly left: readonly Pending[];
}

interface Decided {
  readonly work: Batch;
  readonly decided: RoundEnd['answers'];
  readonly left: RoundEnd['left'];
}

/** Longest stretch in which calls are decided before they are written; a call stays together. */
const spanMs = 8;

export async function runRound(round: Round): Promise<RoundEnd> {
  const ids = [...new Set(round.taken.map(({ command }) => command.run))].sort();
  let decided: Decided | null = null;
  let pid: number | null = null;
  try {
    return await round.database.with(async (session) => {
      const begun = await loaded(round, session, ids);
      decided = decideAll(round, batch(begun.rows, { ...round.means, held: begun.held }));
      const touched = decided.work.touched();
      invariant(!decided.work.isEntangled(), 'an approval is asked before it is resolved');
      if (touched.length === 0) {
        if (begun.isOpen) await session.exec('commit');
        return ended(decided, () => true, false);
      }
      round.faults?.reached('store.before_commit');
      pid = session.pid;
      const mine = await write({ round, session, isOpen: begun.isOpen }, decided.work);
      round.faults?.reached('store.after_commit');
      return ended(decided, (run) => mine.has(run), mine.size > 0);
    });
  } catch (error: unknown) {
    if (pid === null || decided === null || !isLost(error)) throw error;
    return foundOut(round, decided, pid, error);
  }
}

interface Begun {
  readonly isOpen: boolean;
  readonly held: ReadonlyMap<string, number>;
  readonly rows: readonly LoadedColumns[];
}

/**
 * Locks what the commands call for, workers before runs; without any no transaction is open. One
 * round trip: what is read after a lock is a statement of its own, and sees what its last holder
 * wrote.
 */
async function loaded(
  { taken, queued }: Round,
  session: Session,
  ids: readonly string[],
): Promise<Begun> {
  const workers = [...new Set(taken.flatMap(({ command }) => command.heldBy ?? []))].sort();
  const isOpen = queued || workers.length > 0;
  if (!isOpen) return { isOpen, held: new Map(), rows: await session.all(loadRuns, ids) };
  // Done in the order of these calls.
  const [, , counts, , rows] = await Promise.all([
    session.exec('begin'),
    workers.length > 0 ? session.all(lockWorkers, workers) : [],
    workers.length > 0 ? session.all(heldByWorkers, workers) : [],
    queued ? session.all(lockRuns, ids) : [],
    session.all(loadRuns, ids),
  ]);
  return { isOpen, held: new Map(counts.map(({ worker, held }) => [worker, held])), rows };
}

function decideAll({ taken, clock }: Round, work: Batch): Decided {
  const until = clock.monotonicMs() + spanMs;
  const decided: (readonly [Pending, Settled<unknown>])[] = [];
  for (const pending of taken) {
    const isOver = decided.length > 0 && clock.monotonicMs() >= until;
    if (isOver && pending.call !== decided.at(-1)?.[0].call) break;
    decided.push([pending, work.decide(pending.command, pending.decide)]);
  }
  return { work, decided, left: taken.slice(decided.length) };
}

interface Writing {
  readonly round: Round;
  readonly session: Session;
  /** A transaction has begun. */
  readonly isOpen: boolean;
}

/** Answers which runs were written: all in one transaction, and none if it throws. */
async function write(
  { round, session, isOpen }: Writing,
  work: Batch,
): Promise<ReadonlySet<string>> {
  const touched = [...work.touched()];
  const bySeq = touched
    .filter(({ seq }) => seq !== null)
    .sort((a, b) => (a.seq ?? 0) - (b.seq ?? 0));
  // In the order of their first event: the order of the calls.
  const unborn = touched.filter(({ seq }) => seq === null);
  if (unborn.length === 0) {
    const writing = writeRuns(round, session, work, { runs: bySeq, registry: null });
    return isOpen ? committed(session, writing) : writing;
  }
  const ids = unborn.map(({ id }) => id);
  const [, , found, [row]] = await Promise.all([
    isOpen ? null : session.exec('begin'),
    session.all(lockRegistry),
    session.all(loadRuns, ids),
    session.all(getMeta, registryKey),
  ]);
  const there = new Set(found.map(({ id }) => id));
  const born = unborn.filter(({ id }) => !there.has(id));
  const registry = row === undefined ? emptyRegistry : (JSON.parse(row.value) as RegistryHead);
  const runs = [...bySeq, ...born];
  return committed(session, writeRuns(round, session, work, { runs, registry }));
}

/** Sent with what was just asked; what that failed to write is rolled back by it. */
async function committed<T>(session: Session, writing: Promise<T>): Promise<T> {
  const [written] = await Promise.all([writing, session.exec('commit')]);
  return written;
}

interface What {
  readonly runs: readonly Loaded[];
  /** Null: none is born. */
  readonly registry: RegistryHead | null;
}

async function writeRuns(
  { means, ttlMs }: Round,
  session: Session,
  work: Batch,
  { runs, registry }: What,
): Promise<ReadonlySet<string>> {
  if (runs.length === 0) return new Set();
  const numbers = numbered(runs, registry ?? emptyRegistry, means.states);
  const events = work.events.filter(({ of }) => numbers.seqs.has(of));
  const rows = batchRows(runs, events, numbers, { states: means.states, ttlMs });
  const head = JSON.stringify(numbers.registry);
  const { query, values } = writeBatch(String(storeFormat), rows, head);
  const [written] = (await session.all(query, ...values)) as readonly Written[];
  invariant(written !== undefined, 'the statement of a batch answers one row');
  checkWritten(written);
  const seqs = new Set(written.mine);
  return new Set(runs.filter((run) => seqs.has(String(numbers.seqs.get(run)))).map(({ id }) => id));
}

/** A store that is not of this format was not written to. */
function checkWritten({ format }: Written): void {
  if (format === String(storeFormat)) return;
  checkFormat(Number(format ?? 0));
  throw new WorldError('database_unusable', `the store has format ${format}: it was not migrated`, {
    next: 'pawl db migrate',
  });
}

/** Of a run that was to be written and was not, nothing counts. */
function ended(
  { work, decided, left }: Decided,
  isWritten: (run: string) => boolean,
  wrote: boolean,
): RoundEnd {
  const touched = touchedBy(work);
  const moved = (run: string) => touched.has(run) && !isWritten(run);
  const again = decided.filter(([{ command }]) => moved(command.run)).map(([pending]) => pending);
  for (const pending of again) pending.lost += 1;
  const answers = decided.filter(([{ command }]) => !moved(command.run));
  return { wrote, answers, again, left };
}

const touchedBy = (work: Batch): ReadonlySet<string> => new Set(work.touched().map(({ id }) => id));

/**
 * D4. The hash of a run's newest event is made with a random salt, so it is there if and only if
 * this very batch was committed. Rows without an event are written again: they say the same.
 * Nothing that goes wrong here may look like a batch that was not written.
 */
async function foundOut(
  round: Round,
  decided: Decided,
  pid: number,
  lost: unknown,
): Promise<RoundEnd> {
  const { clock, database } = round;
  const heads = decided.work.touched().filter(({ movedAt }) => movedAt !== null);
  const until = clock.monotonicMs() + patienceMs;
  for (let tries = 0; ; tries += 1) {
    try {
      return await database.with(async (session) => {
        const left = await session.all(endBackend, database.applicationName, pid);
        if (left.length > 0) throw lost;
        const written = await session.all(
          writtenHeads,
          heads.map(({ id }) => id),
          heads.map(({ version }) => version),
          heads.map(({ head }) => head),
        );
        const there = new Set(written.map(({ stream }) => stream));
        return ended(decided, (run) => there.has(run), there.size > 0);
      });
    } catch (error: unknown) {
      const isOver = clock.monotonicMs() >= until || !(isLost(error) || isContended(error));
      if (isOver) return neverKnown(decided, error);
      await clock.sleep(pauseMs(tries, Math.random()));
    }
  }
}

/** Written again it might be there twice: its callers hear that nobody knows. */
function neverKnown({ work, decided, left }: Decided, cause: unknown): RoundEnd {
  const touched = touchedBy(work);
  const what =
    'the database went away in the middle of a commit: whether it was written is not known';
  const error = new WorldError('database_unreachable', what, {}, cause);
  const unknown: Settled<unknown> = { kind: 'unavailable', error };
  const answers = decided.map(
    ([pending, answer]) => [pending, touched.has(pending.command.run) ? unknown : answer] as const,
  );
  return { wrote: true, answers, again: [], left };
}
