import type { CopyProgress, CopyReport } from '../ports/store-admin.ts';
import { answer, type Command, type Context } from './command.ts';
import { databaseOf } from './database.ts';
import { exits } from './exit.ts';
import { bytes, count, plural } from './format.ts';

export const command: Command = {
  name: 'db copy',
  summary:
    'Copy the store of this machine into an empty PostgreSQL database, all of it or nothing.',
  arguments: { usage: '', min: 0, max: 0 },
  flags: [
    {
      name: 'to',
      kind: 'value',
      value: 'url',
      says: 'an empty database (PAWL_DATABASE, where an address with a password belongs)',
    },
  ],
  examples: ['pawl db copy --to postgres://pawl@db.example/pawl'],
  run,
};

async function run(context: Context): Promise<number> {
  const { given, options } = context;
  const admin = await options.storeAdmin(null);
  const report = await admin.copy(databaseOf(given.text('to'), '--to'), teller(context));
  answer(context, linesOf(context, report), { schema: 'pawl.copy/1', ...report });
  return exits.done;
}

/** A line for each tenth, and for each table that is larger than a page. */
function teller(context: Context): (progress: CopyProgress) => void {
  let told = 0;
  return ({ table, done, rows }) => {
    if (rows === null) {
      if (done > 0) context.note([`copied ${plural(done, 'artifact')} so far`]);
      return;
    }
    const tenth = Math.floor((done * 10) / Math.max(1, rows));
    if (tenth === told) return;
    told = tenth;
    context.note([`copied ${count(done)} of ${count(rows)} rows (${table})`]);
  };
}

function linesOf({ called, options }: Context, report: CopyReport): readonly string[] {
  const { runs, living, events, from, to, artifacts } = report;
  return [
    `✓ copied ${plural(runs, 'run')} (${living} not ended) and ${plural(events, 'event')} to ${to}`,
    '  every chain was verified in the file and in the database',
    artifacts === null
      ? `  artifacts  stay in ${options.home}/artifacts: a server of this database needs that PAWL_HOME`
      : `  artifacts  ${artifacts.copied}, ${bytes(artifacts.bytes)}${artifacts.missing === 0 ? '' : `; ${artifacts.missing} were not there, or damaged`}`,
    `  trees      and keys stay in ${options.home}`,
    `  note       ${from} is as it was; what is done there from now on is not in the database`,
    `  next       export PAWL_DATABASE=… for this address, then ${called} audit verify and ${called} serve`,
  ];
}
