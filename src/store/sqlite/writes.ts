/** What is written beside commands: heartbeats, offers, refusals, seats. */
import type { RunAggregate } from '../../domain/run/aggregate.ts';
import type { Clock } from '../../ports/clock.ts';
import type {
  ArchivedStream,
  Evidence,
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
import { seatRow } from '../rows.ts';
import { holderKey, mayTakeOver, sameHolder } from '../seat-rule.ts';
import { archivedRun, dropListed } from '../sql/archive.ts';
import { countEvidence, countOn, insertEvidence } from '../sql/evidence.ts';
import { addFact, changeFact, factByKey, removeFact } from '../sql/facts.ts';
import { beatLease, expireSilent, runOfExecution } from '../sql/leases.ts';
import { setMeta } from '../sql/meta.ts';
import { offerExecution } from '../sql/offer-execution.ts';
import { keepReference, putReference, setListed } from '../sql/references.ts';
import { beatSeat, leaveSeat, putSeat, seatRow as seatById } from '../sql/seats.ts';
import type { Connection } from './connection.ts';

/** One transaction, shared with whatever else is queued. */
export type Write = <T>(action: (connection: Connection) => T) => Promise<T>;

export function writes(write: Write, clock: Clock): Omit<Writes, 'expireLeases'> {
  return {
    heartbeat: (beat) => write((connection) => heartbeat(connection, beat)),
    expireSilent: ({ id, lease, beat }) =>
      write((connection) => {
        if (lease === null) return false;
        return connection.run(expireSilent, id, lease.grantId, beat, clock.now()) === 1;
      }),
    offer: (execution, now, until, turn) =>
      write((connection) => {
        const [row] = turn === undefined ? [] : connection.all(seatById, turn.seat);
        const isTurn = turn === undefined || (row !== undefined && sameHolder(seatRow(row), turn));
        return isTurn && connection.run(offerExecution, execution, now, until) === 1;
      }),
    recordEvidence: (refusal) =>
      write((connection) => recordEvidence(connection, boundedEvidence(refusal))),
    keepHead: ({ run, version }, statement) =>
      write((connection) => {
        connection.run(keepReference, run, headName(version), digestBytes(statement));
      }),
    keepListed: ({ run, version }, references) =>
      write((connection) => {
        for (const { name, digest } of references) {
          connection.run(keepReference, run, name, digestBytes(digest));
        }
        connection.run(setListed, run, String(version));
      }),
    archive: (stream) => write((connection) => archiveStream(connection, stream)),
    takeSeat: (seat, takeOver) =>
      write((connection) => takeSeat(connection, seat, takeOver, clock)),
    beatSeat: (seat) =>
      write((connection) => connection.run(beatSeat, seat.seat, ...holderKey(seat)) === 1),
    swapFact: (name, expected, value) =>
      write((connection) => swapFact(connection, factKey(name), expected, value)),
    leaveSeat: (seat) =>
      write((connection) => {
        connection.run(leaveSeat, seat.seat, ...holderKey(seat));
      }),
  };
}

function archiveStream(connection: Connection, stream: ArchivedStream): boolean {
  const { run, version, hash } = stream;
  const row = connection.get(archivedRun, run, version, fromHex(hash));
  if (row === undefined) return false;
  for (const drop of drops) connection.run(drop, row.seq);
  connection.run(dropListed, `listed:${run}`);
  connection.run(putReference, row.seq, archiveReference, digestBytes(stream.archive));
  connection.run(setMeta, archiveKey(run), archiveMark(stream));
  return true;
}

function swapFact(
  connection: Connection,
  key: string,
  expected: string | null,
  value: string | null,
): boolean {
  if (expected === null) {
    if (value === null) return connection.get(factByKey, key) === undefined;
    return connection.run(addFact, key, value) === 1;
  }
  if (value === null) return connection.run(removeFact, key, expected) === 1;
  return connection.run(changeFact, key, expected, value) === 1;
}

function heartbeat(connection: Connection, beat: Heartbeat): HeartbeatAnswer {
  const { execution, grantId } = beat;
  const row = connection.get(runOfExecution, execution);
  if (row === undefined || endedExecution.includes(row.status)) {
    return { ok: false, reason: 'execution.not_open' };
  }
  const signals = beat.signals.slice(0, bounds.signalsBytesMax);
  const usage = beat.usage === null ? null : JSON.stringify(beat.usage);
  if (connection.run(beatLease, execution, grantId, beat.beat, signals, usage) !== 1) {
    return { ok: false, reason: 'grant.stale' };
  }
  return heartbeatAnswer(JSON.parse(row.state) as RunAggregate, execution);
}

function recordEvidence(connection: Connection, refusal: Evidence): void {
  const { execution, verb, reason, grantPresented, digest, at } = refusal;
  const rows = connection.get(countEvidence, execution)?.rows ?? 0;
  if (rows < bounds.evidenceRowsMax) {
    connection.run(insertEvidence, execution, verb, reason, grantPresented, digest, at);
  } else connection.run(countOn, execution, at);
}

function takeSeat(
  connection: Connection,
  seat: Seat,
  takeOver: SeatRow | null,
  clock: Clock,
): { readonly ours: boolean; readonly row: SeatRow | null } {
  const held = connection.get(seatById, seat.seat);
  if (held !== undefined) {
    const row = seatRow(held);
    if (sameHolder(row, seat)) return { ours: true, row };
    if (!mayTakeOver(row, takeOver)) return { ours: false, row };
  }
  const since = clock.now();
  const { worker } = seat.holder;
  connection.run(putSeat, seat.seat, worker, ...holderKey(seat), seat.version, since);
  return { ours: true, row: { ...seat, beat: 0, since } };
}
