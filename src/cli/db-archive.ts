import type { ArchiveReport } from '../ports/store-admin.ts';
import { typedAs } from './called.ts';
import { answer, type Command, type Context } from './command.ts';
import { databaseFlag, databaseOf } from './database.ts';
import { exits } from './exit.ts';
import { bytes, plural } from './format.ts';

const usualMs = 30 * 24 * 3_600_000;

export const command: Command = {
  name: 'db archive',
  summary: 'Show which ended runs may leave the store; with -y move each into a file of its own.',
  arguments: { usage: '', min: 0, max: 0 },
  flags: [
    databaseFlag,
    { name: 'older-than', kind: 'value', value: 'span', says: 'ended longer ago than that (30d)' },
    { name: 'unlanded', kind: 'switch', says: 'also runs whose verified work has not landed' },
    { name: 'dry-run', kind: 'switch', says: 'only show (the default without -y)' },
  ],
  examples: ['pawl db archive --older-than 90d', 'pawl db archive --older-than 90d -y'],
  run,
};

async function run(context: Context): Promise<number> {
  const { given, options, called } = context;
  const isReal = given.has('yes') && !given.has('dry-run');
  // The record of what was done goes out of sight: that is a human's to say, as with prune.
  if (isReal) await context.human('prune', null, `${called} db archive -y`, 'db archive');
  const admin = await options.storeAdmin(databaseOf(given.text('database')));
  const olderThanMs = given.durationMs('older-than') ?? usualMs;
  const report = await admin.archive({
    olderThanMs,
    unlanded: given.has('unlanded'),
    dry: !isReal,
  });
  answer(context, linesOf(context, report), { schema: 'pawl.archived/1', ...report });
  return exits.done;
}

function linesOf(context: Context, { dry, archived, kept }: ArchiveReport): readonly string[] {
  const { called } = context;
  const stay = kept.map(({ run, name, why }) => `  stays      ${run} ${name}: ${why}`);
  if (archived.length === 0) return ['nothing to archive.', ...stay];
  const rows = archived.map(
    ({ run, name, events, archive, bytes: size }) =>
      `  ${run}  ${name}, ${plural(events, 'event')}${size === null ? '' : `, ${bytes(size)} ${archive}`}`,
  );
  return [
    dry
      ? `${plural(archived.length, 'run')} may be archived; nothing was changed`
      : `✓ archived ${plural(archived.length, 'run')}; the store knows that they were, and where they are`,
    ...rows,
    ...stay,
    `  next       ${dry ? `${typedAs(context.options, ['--dry-run', '-y', '--yes', '--json'])} -y` : `${called} audit verify`}`,
    ...(dry
      ? []
      : [`             ${called} artifact get <digest> --out <file>   a copy of an archive`]),
  ];
}
