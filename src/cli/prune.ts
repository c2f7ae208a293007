import type { PruneItem } from '../ports/workspace.ts';
import { typedAs } from './called.ts';
import { answer, type Command, type Context } from './command.ts';
import { nothingOf } from './empty.ts';
import { exits } from './exit.ts';
import { bytes, plural } from './format.ts';
import { table } from './views/page.ts';

export const command: Command = {
  name: 'prune',
  summary: 'Show what may be removed and why that is safe; with -y remove it.',
  arguments: { usage: '', min: 0, max: 0 },
  flags: [
    { name: 'dry-run', kind: 'switch', says: 'only show (the default without -y)' },
    { name: 'older-than', kind: 'value', value: 'span', says: 'only runs that ended longer ago' },
    { name: 'landed', kind: 'switch', says: 'only runs that have landed' },
  ],
  examples: ['pawl prune --dry-run', 'pawl prune --older-than 14d -y'],
  run,
};

async function run(context: Context): Promise<number> {
  const { given, called } = context;
  const isReal = given.has('yes') && !given.has('dry-run');
  const principal = isReal ? await context.human('prune', null, `${called} prune -y`) : null;
  const client = await context.client();
  const items = await client.prunable({
    project: await context.projectFilter(),
    olderThanMs: given.durationMs('older-than'),
    landedOnly: given.has('landed'),
  });
  const freed = principal === null ? null : (await client.prune(items, principal)).freedBytes;
  answer(context, pageOf(context, items, freed), {
    schema: 'pawl.prune/1',
    items: items.map(({ run, path, branch, bytes: size, safeBecause }) => ({
      owner: run,
      path,
      branch,
      bytes: size,
      safeBecause,
    })),
    freedBytes: freed,
  });
  return exits.done;
}

function pageOf(context: Context, items: readonly PruneItem[], freed: number | null): string[] {
  if (items.length === 0) return nothingOf(context, 'nothing to remove', 'prune');
  const { columns } = context.style;
  const rows = items.map((item) => [bytes(item.bytes), item.path]);
  const total = items.reduce((sum, item) => sum + item.bytes, 0);
  const last =
    freed === null
      ? `${plural(items.length, 'item')}, ${bytes(total)}; nothing was removed · ${typedAs(context.options, ['--dry-run', '-y', '--yes'])} -y removes them`
      : `removed ${plural(items.length, 'item')}, ${bytes(freed)} freed`;
  // Where the work goes is never cut: a line of its own, as long as it takes.
  const lines = table(rows, columns).flatMap((line, i) => [
    line,
    `    ${items[i]?.safeBecause ?? ''}`,
  ]);
  const hasTrees = items.some(({ run: owner }) => owner !== null);
  const where = 'unrecorded work is kept: git for-each-ref refs/pawl/lost';
  return [...lines, last, ...(hasTrees ? [where] : [])];
}
