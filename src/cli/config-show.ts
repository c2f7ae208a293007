import type { Layer } from '../contract/layer.ts';
import { valueAt } from '../contract/layer.ts';
import { mergeLayers } from '../contract/merge.ts';
import { answer, type Command, type Context } from './command.ts';
import { exits } from './exit.ts';
import { readSettings } from './settings.ts';
import { table } from './views/page.ts';

export const command: Command = {
  name: 'config show',
  summary: 'The settings that count here, in their long form.',
  arguments: { usage: '', min: 0, max: 0 },
  flags: [{ name: 'origin', kind: 'switch', says: 'where each value came from' }],
  examples: ['pawl config show --origin'],
  run,
};

async function run(context: Context): Promise<number> {
  const { layers } = await readSettings(context, await context.projectRoot());
  const merged = mergeLayers(layers);
  const rows = leaves(merged.value).map(({ path, value }) => {
    const layer = merged.origin(path);
    return { key: path.join('.'), value, origin: placeOf(layer, path) };
  });
  const lines = rows.map(({ key, value, origin }) => [
    key,
    JSON.stringify(value),
    ...(context.given.has('origin') ? [origin] : []),
  ]);
  answer(
    context,
    lines.length === 0
      ? ['nothing is set here; the defaults count. pawl config schema lists them.']
      : table(lines, 1_000, ''),
    {
      schema: 'pawl.config/1',
      definition: merged.value,
      origin: Object.fromEntries(rows.map(({ key, origin }) => [key, origin])),
    },
  );
  return exits.done;
}

type Path = readonly string[];

/** Lists are values: they replace, they do not merge. */
function leaves(
  value: unknown,
  path: Path = [],
): { readonly path: Path; readonly value: unknown }[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [{ path, value }];
  return Object.keys(value).flatMap((key) => {
    const inner = valueAt(value, [key]);
    return inner === undefined ? [] : leaves(inner, [...path, key]);
  });
}

function placeOf(layer: Layer | null, path: Path): string {
  if (layer === null) return 'default';
  return layer.kind === 'project' || layer.kind === 'user' ? layer.where(path) : layer.origin;
}
