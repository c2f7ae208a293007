import { isDriverSeat } from '../kernel/driver-seats.ts';
import type { StoreStatus } from '../ports/store-admin.ts';
import { answer, type Command, type Context } from './command.ts';
import { databaseFlag, databaseOf } from './database.ts';
import { exits } from './exit.ts';
import { bytes, clock, iso, plural } from './format.ts';

export const command: Command = {
  name: 'db status',
  summary: 'Where the store is, its format beside that of this pawl, its size, and who drives it.',
  arguments: { usage: '', min: 0, max: 0 },
  flags: [databaseFlag],
  examples: ['pawl db status', 'pawl db status --database postgres://pawl@db.example/pawl'],
  run,
};

type Seat = StoreStatus['seats'][number];

async function run(context: Context): Promise<number> {
  const { given, options } = context;
  const admin = await options.storeAdmin(databaseOf(given.text('database')));
  const status = await admin.status();
  answer(context, linesOf(context, status), {
    schema: 'pawl.db/1',
    ...status,
    pending: pendingOf(status),
    seats: status.seats.map(({ since, ...seat }) => ({ ...seat, since: iso(since) })),
  });
  return exits.done;
}

const pendingOf = ({ migrations }: StoreStatus): readonly string[] =>
  migrations.filter(({ state }) => state === 'pending').map(({ name }) => name);

function linesOf(context: Context, status: StoreStatus): readonly string[] {
  const { place, engine, bytes: size, counts, seats } = status;
  return [
    `store      ${place}`,
    `engine     ${engine}${size === null ? '' : ` · ${bytes(size)}`}`,
    ...formatLines(context, status),
    ...(counts === null
      ? []
      : [
          `runs       ${counts.runs}, of those ${counts.living} not ended · ${plural(counts.events, 'event')}`,
          ...driverLines(context, seats.filter(isDriverSeat)),
        ]),
  ];
}

function formatLines({ called }: Context, status: StoreStatus): readonly string[] {
  const { format, known, migrations } = status;
  if (format === null) {
    return [
      'format     none: there is no store yet',
      `  next       ${called} db migrate makes it, and so does the first command that needs it`,
    ];
  }
  if (format > known) {
    return [
      `format     ${format}, and this pawl knows ${known}: it will not touch that store`,
      '  next       install the pawl that the store was moved by, or a newer one',
    ];
  }
  const altered = migrations.filter(({ state }) => state === 'altered').map(({ name }) => name);
  const pending = pendingOf(status);
  return [
    `format     ${format}, this pawl ${known}${pending.length === 0 ? '' : ` · pending: ${pending.join(', ')}`}`,
    ...(altered.length === 0
      ? []
      : [`  note       made by other steps than those of this pawl: ${altered.join(', ')}`]),
    ...(pending.length === 0 ? [] : [`  next       ${called} db migrate`]),
  ];
}

/** Each that drives: of a database there may be any number. */
function driverLines(context: Context, seats: readonly Seat[]): readonly string[] {
  if (seats.length === 0) return ['driver     none'];
  return seats.map(
    (seat, n) => `${n === 0 ? 'driver ' : '       '}    ${seatWords(context, seat)}`,
  );
}

function seatWords({ io }: Context, { holder, version, since, lives }: Seat): string {
  const dead = lives === false ? ' · that process is gone' : '';
  return `pid ${holder.pid} on ${holder.worker}, ${version}, since ${clock(io, since)}${dead}`;
}
