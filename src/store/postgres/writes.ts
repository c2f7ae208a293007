/** What is written beside commands: heartbeats, expiries, offers, refusals, seats. */
import type { RunAggregate } from '../../domain/run/aggregate.ts';
import { WorldError } from '../../kernel/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type {
  ArchivedStream,
  Heartbeat,
  HeartbeatAnswer,
  Seat,
  SeatRow,
} from '../../ports/store.ts';
import { archiveKey, archiveMark, archiveReference, drops } from '../archive/marks.ts';
import { bounds, endedExecution } from '../bounds.ts';
import { digestBytes, fromHex } from '../bytes.ts';
import { factKey } from '../fact-key.ts';
import { headName } from '../heads.ts';
import { boundedEvidence, heartbeatAnswer } from '../projection.ts';
import type { Writes } from '../reads.ts';
import { openExecution, seatRow } from '../rows.ts';
import { holderKey, mayTakeOver, sameHolder } from '../seat-rule.ts';
import { archivedRun, dropListed } from '../sql/archive.ts';
import { countEvidence, countOn, insertEvidence } from '../sql/evidence.ts';
import { addFact, changeFact, factByKey, removeFact } from '../sql/facts.ts';
import { setMeta } from '../sql/meta.ts';
import { keepReference, putReference, setListed } from '../sql/references.ts';
import { beatSeat, leaveSeat, putSeat } from '../sql/seats.ts';
import type { Session } from './connect.ts';
import { stateForReference } from './sql/artifacts.ts';
import { lockEvidence, lockFact, lockRun, lockSeat } from './sql/locks.ts';
import {
  beatLease,
  expiredExecutions,
  expireLeases,
  offerExecution,
  seatForUpdate,
} from './sql/writes.ts';
import { checked, ours, together } from './together.ts';

export interface Ways {
  /** May be done again when nobody knows whether it happened. */
  readonly repeatable: <T>(action: (session: Session) => Promise<T>) => Promise<T>;
  /** Done at most once; lost under way it throws. */
  readonly once: <T>(action: (session: Session) => Promise<T>) => Promise<T>;
  readonly clock: Clock;
  readonly ttlMs: number;
}

const noTurn = [null, null, null, null] as const;

export function writes({ repeatable, once, clock, ttlMs }: Ways): Writes {
  return {
    heartbeat: (beat) => repeatable((session) => heartbeat(session, beat, ttlMs)),
    expireLeases: () =>
      repeatable(async (session) => {
        checked(await session.all(expireLeases, ours));
        return (await session.all(expiredExecutions)).map(openExecution);
      }),
    // The clock of the database decides, and no other.
    expireSilent: async () => false,
    offer: (execution, now, until, turn) =>
      once(async (session) => {
        const key = turn === undefined ? noTurn : ([turn.seat, ...holderKey(turn)] as const);
        const row = checked(await session.all(offerExecution, ours, execution, now, until, ...key));
        return row.moved === 1;
      }),
    recordEvidence: (refusal) =>
      once((session) =>
        together(session, async () => {
          const { execution, verb, reason, grantPresented, digest, at } = boundedEvidence(refusal);
          await session.all(lockEvidence, execution);
          const [count] = await session.all(countEvidence, execution);
          if ((count?.rows ?? 0) >= bounds.evidenceRowsMax) {
            await session.all(countOn, execution, at);
            return;
          }
          const presented = [grantPresented, digest, at] as const;
          await session.all(insertEvidence, execution, verb, reason, ...presented);
        }),
      ),
    keepHead: ({ run, version }, statement) =>
      repeatable((session) =>
        together(session, () =>
          refer(session, run, { name: headName(version), digest: statement }),
        ),
      ),
    keepListed: ({ run, version }, references) =>
      repeatable((session) =>
        together(session, async () => {
          for (const { name, digest } of references) {
            await refer(session, run, { name, digest });
          }
          await session.all(setListed, run, String(version));
        }),
      ),
    archive: (stream) => once((session) => together(session, () => archiveStream(session, stream))),
    // Not said again when its answer is lost: whether it was ours could not be told any more.
    swapFact: (name, expected, value) =>
      once((session) =>
        together(session, () => swapFact(session, { key: factKey(name), expected, value })),
      ),
    ...seats(repeatable, clock),
  };
}

async function archiveStream(session: Session, stream: ArchivedStream): Promise<boolean> {
  const { run, version, hash } = stream;
  // Whoever moves the run waits for this lock, or has moved it and is seen.
  await session.all(lockRun, run);
  const [row] = await session.all(archivedRun, run, version, fromHex(hash));
  if (row === undefined) return false;
  for (const drop of drops) await session.all(drop, row.seq);
  await session.all(dropListed, `listed:${run}`);
  await session.all(putReference, row.seq, archiveReference, await held(session, stream.archive));
  await session.all(setMeta, archiveKey(run), archiveMark(stream));
  return true;
}

function seats(
  repeatable: Ways['repeatable'],
  clock: Clock,
): Pick<Writes, 'takeSeat' | 'beatSeat' | 'leaveSeat'> {
  return {
    takeSeat: (seat, takeOver) =>
      repeatable((session) => together(session, () => takeSeat(session, seat, takeOver, clock))),
    beatSeat: (seat) =>
      repeatable((session) =>
        together(session, async () => {
          const [row] = await session.all(seatForUpdate, seat.seat);
          if (row === undefined || !sameHolder(seatRow(row), seat)) return false;
          await session.all(beatSeat, seat.seat, ...holderKey(seat));
          return true;
        }),
      ),
    leaveSeat: (seat) =>
      repeatable((session) =>
        together(session, async () => {
          await session.all(leaveSeat, seat.seat, ...holderKey(seat));
        }),
      ),
  };
}

async function refer(
  session: Session,
  run: string,
  { name, digest }: { readonly name: string; readonly digest: string },
): Promise<void> {
  await session.all(keepReference, run, name, await held(session, digest));
}

/**
 * Stays until the transaction ends, which may refer to it then.
 * @throws WorldError `artifact_missing`: the collector has it in hand.
 */
async function held(session: Session, digest: string): Promise<Uint8Array> {
  const bytes = digestBytes(digest);
  const [row] = await session.all(stateForReference, bytes);
  if (row?.state === 'deleting') {
    throw new WorldError('artifact_missing', `artifact ${digest} is being removed`);
  }
  return bytes;
}

async function heartbeat(
  session: Session,
  beat: Heartbeat,
  ttlMs: number,
): Promise<HeartbeatAnswer> {
  const { execution, grantId } = beat;
  const signals = beat.signals.slice(0, bounds.signalsBytesMax);
  const usage = beat.usage === null ? null : JSON.stringify(beat.usage);
  const rows = await session.all(
    beatLease,
    ours,
    execution,
    grantId,
    beat.beat,
    signals,
    usage,
    ttlMs,
  );
  const { status, state, beaten } = checked(rows);
  if (status === null || state === null || endedExecution.includes(status)) {
    return { ok: false, reason: 'execution.not_open' };
  }
  if (!beaten) return { ok: false, reason: 'grant.stale' };
  return heartbeatAnswer(JSON.parse(state) as RunAggregate, execution);
}

async function takeSeat(
  session: Session,
  seat: Seat,
  takeOver: SeatRow | null,
  clock: Clock,
): Promise<{ readonly ours: boolean; readonly row: SeatRow | null }> {
  await session.all(lockSeat, seat.seat);
  const [held] = await session.all(seatForUpdate, seat.seat);
  if (held !== undefined) {
    const row = seatRow(held);
    if (sameHolder(row, seat)) return { ours: true, row };
    if (!mayTakeOver(row, takeOver)) return { ours: false, row };
  }
  const since = clock.now();
  const { worker } = seat.holder;
  await session.all(putSeat, seat.seat, worker, ...holderKey(seat), seat.version, since);
  return { ours: true, row: { ...seat, beat: 0, since } };
}

interface Swap {
  readonly key: string;
  readonly expected: string | null;
  readonly value: string | null;
}

/** Compared while its name is locked, so that the statements need not tell what they changed. */
async function swapFact(session: Session, { key, expected, value }: Swap): Promise<boolean> {
  await session.all(lockFact, key);
  const [row] = await session.all(factByKey, key);
  if ((row?.value ?? null) !== expected) return false;
  if (expected === null && value !== null) await session.all(addFact, key, value);
  else if (expected !== null && value !== null) await session.all(changeFact, key, expected, value);
  else if (expected !== null) await session.all(removeFact, key, expected);
  return true;
}
