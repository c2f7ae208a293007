import { answer, type Command, type Context } from './command.ts';
import { databaseFlag, databaseOf } from './database.ts';
import { exits } from './exit.ts';

export const command: Command = {
  name: 'db migrate',
  summary: 'Bring the store to the format of this pawl; make it where there is none.',
  arguments: { usage: '', min: 0, max: 0 },
  flags: [databaseFlag],
  examples: ['pawl db migrate', 'pawl db migrate --database postgres://pawl@db.example/pawl'],
  run,
};

async function run(context: Context): Promise<number> {
  const { given, options } = context;
  const admin = await options.storeAdmin(databaseOf(given.text('database')));
  const report = await admin.migrate();
  const { from, to, applied } = report;
  const line =
    from === null
      ? `✓ made the store, format ${to}`
      : applied.length === 0
        ? `✓ nothing to do: the store has format ${to}, as this pawl`
        : `✓ from format ${from} to ${to}: ${applied.join(', ')}`;
  answer(context, [line], { schema: 'pawl.migration/1', ...report });
  return exits.done;
}
