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

/** A line for each tenth of the artifacts, and then of the rows. */
function teller(context: Context): (progress: CopyProgress) => void {
  const told = { artifacts: 0, rows: 0 };
  return ({ table, done, of }) => {
    const what = table === 'artifacts' ? 'artifacts' : 'rows';
    const tenth = Math.floor((done * 10) / Math.max(1, of));
    if (tenth === told[what]) return;
    told[what] = tenth;
    const where = what === 'rows' ? ` (${table})` : '';
    context.note([`copied ${count(done)} of ${count(of)} ${what}${where}`]);
  };
}

function linesOf({ called, options }: Context, report: CopyReport): readonly string[] {
  const { runs, living, events, from, to, artifacts } = report;
  return [
    `✓ copied ${plural(runs, 'run')} (${living} not ended) and ${plural(events, 'event')} to ${to}`,
    '  every chain was verified in the file and in the database',
    `  artifacts  ${count(artifacts.copied)} came along, ${bytes(artifacts.bytes)}, each verified by its digest`,
    `  trees      and keys stay in ${options.home}`,
    `  note       ${from} is as it was; what is done there from now on is not in the database`,
    `  next       export PAWL_DATABASE=… for this address, then ${called} audit verify and ${called} serve`,
  ];
}
