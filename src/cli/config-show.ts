/**
 * `pawl config show`: every setting that would count here, and with `--origin` the file, variable
 * or flag that each came from (UX 4.3). Ceilings are applied, defaults are named.
 */
import { brakesOf } from '../contract/brakes.ts';
import { fileDefaults } from '../contract/defaults.ts';
import type { DefinitionFile } from '../contract/definition-file.ts';
import { usualOnPermission, usualPermissions } from '../contract/known-agents.ts';
import type { Layer } from '../contract/layer.ts';
import { longForm, type Merged, mergeLayers } from '../contract/merge.ts';
import { judgedIn, profileOfDomain } from '../contract/profiles.ts';
import { heldBy } from '../contract/roles.ts';
import { brakesFile } from '../contract/snapshot-layer.ts';
import { valueAt } from '../contract/value-path.ts';
import type { RequestError } from '../kernel/errors.ts';
import { answer, type Command, type Context } from './command.ts';
import { exits } from './exit.ts';
import type { FlagSpec } from './parse.ts';
import { definitionFlags, flagLayer, sourceFlags } from './run-flags.ts';
import { readSettings } from './settings.ts';
import { table } from './views/page.ts';

/** Those of `run` that are settings, so that it can be seen what they would change. */
const settingNames = [
  ...['agent', 'agent-cmd', 'check', 'setup', 'verify-agent', 'attempts', 'max-cost', 'max-tokens'],
  ...['max-time', 'scope', 'protect', 'permissions', 'baseline', 'on-limit', 'isolation'],
];
const settingFlags: readonly FlagSpec[] = [...definitionFlags, ...sourceFlags].filter(({ name }) =>
  settingNames.includes(name),
);

export const command: Command = {
  name: 'config show',
  summary: 'The settings that count here, in their long form; as `run` would see them with flags.',
  arguments: { usage: '', min: 0, max: 0 },
  flags: [
    { name: 'origin', kind: 'switch', says: 'the file, variable or flag that each came from' },
    ...settingFlags,
  ],
  examples: ['pawl config show --origin', 'pawl config show --origin --attempts 3'],
  run,
};

interface Setting {
  readonly path: Path;
  readonly value: unknown;
  readonly origin: string;
}

async function run(context: Context): Promise<number> {
  const flags = flagLayer(context.given);
  const { layers } = await readSettings(context, await context.projectRoot());
  const settings = settingsOf([flags, ...layers]);
  const isTold = context.given.has('origin');
  const rows = settings.map(({ path, value, origin }) => [
    path.join('.'),
    ...(isTold ? [origin] : []),
    JSON.stringify(value),
  ]);
  answer(context, table(rows, 1_000, ''), {
    schema: 'pawl.config/1',
    definition: treeOf(settings),
    origin: Object.fromEntries(settings.map(({ path, origin }) => [path.join('.'), origin])),
  });
  return exits.done;
}

type Path = readonly string[];

/** `layers` highest first. */
function settingsOf(layers: readonly Layer[]): readonly Setting[] {
  const merged = mergeLayers(layers);
  const set = leaves(merged.value).map(({ path, value }) => ({
    path,
    value,
    origin: placesOf(merged, layers, path),
  }));
  const picked = pickedBy(merged);
  const isSet = (path: Path): boolean =>
    valueAt(merged.value, path) !== undefined ||
    picked.some((one) => one.path.join('.') === path.join('.'));
  const others = leaves(fileDefaults)
    .filter(({ path }) => !isSet(path))
    .map(({ path, value }) => ({
      path,
      value: defaultOf(merged, path) ?? value,
      origin: 'default',
    }));
  return [...set, ...picked, ...others].map(underCeilings(merged, layers)).sort(inOrder);
}

/** Profiles that no role names are the domain's to pick, where there is somebody to have one. */
function pickedBy(merged: Merged): readonly Setting[] {
  const { domain, roles } = merged.value;
  const judged = judgedIn(merged.value);
  const isJudged = judged !== null || roles?.verify !== undefined;
  const origin = `${placeOf(merged.origin(['domain']), ['domain'])} (domain: ${domain})`;
  return (['execute', ...(isJudged ? (['verify'] as const) : [])] as const).flatMap((whose) => {
    const value = profileOfDomain(merged.value, whose, judged);
    return value === null ? [] : [{ path: ['roles', whose, 'profile'], value, origin }];
  });
}

/** The two defaults that depend on another value: what an agent is held to, and who is asked. */
function defaultOf({ value }: Merged, [key]: Path): unknown {
  const permissions = value.permissions ?? usualPermissions(heldBy(value));
  if (key === 'permissions') return permissions;
  return key === 'onPermission' ? usualOnPermission(permissions) : undefined;
}

/** A ceiling that caps a brake is where its value comes from. */
function underCeilings(merged: Merged, layers: readonly Layer[]): (setting: Setting) => Setting {
  const problems: RequestError[] = [];
  const brakes = brakesFile(brakesOf(merged, layers, problems, []));
  const user = layers.find(({ kind }) => kind === 'user');
  return (setting) => {
    const [group, key = ''] = setting.path;
    const ceiling = valueAt(user?.value, ['ceilings', key]);
    const value = valueAt(brakes, [key]);
    const isCapped =
      group === 'brakes' &&
      ceiling !== undefined &&
      problems.length === 0 &&
      value !== setting.value;
    if (!isCapped || user === undefined) return setting;
    return { ...setting, value, origin: `${user.where(['ceilings', key])} (ceiling)` };
  };
}

/** As the keys stand in the specification; what has no default comes first. */
function inOrder(a: Setting, b: Setting): number {
  const keys = Object.keys(fileDefaults);
  return keys.indexOf(a.path[0] ?? '') - keys.indexOf(b.path[0] ?? '');
}

/** Lists are values: they replace, they do not merge. */
function leaves(
  value: unknown,
  path: Path = [],
): readonly { readonly path: Path; readonly value: unknown }[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [{ path, value }];
  const keys = Object.keys(value).filter((key) => valueAt(value, [key]) !== undefined);
  if (keys.length === 0) return path.length === 0 ? [] : [{ path, value }];
  return keys.flatMap((key) => leaves(valueAt(value, [key]), [...path, key]));
}

const addedUp = ['protected', 'env.allow'];

/** Two lists are added up towards safety; everything else comes from one place. */
function placesOf(merged: Merged, layers: readonly Layer[], path: Path): string {
  const highest = merged.origin(path);
  const user = layers.find(({ kind }) => kind === 'user');
  const isAdded =
    addedUp.includes(path.join('.')) &&
    user !== undefined &&
    user !== highest &&
    valueAt(longForm(user.value), path) !== undefined;
  return [highest, ...(isAdded ? [user] : [])].map((layer) => placeOf(layer, path)).join(' and ');
}

function placeOf(layer: Layer | null, path: Path): string {
  return layer === null ? 'default' : layer.where(path);
}

function treeOf(settings: readonly Setting[]): DefinitionFile {
  const tree: Record<string, unknown> = {};
  for (const { path, value } of settings) {
    let at = tree;
    for (const key of path.slice(0, -1)) {
      at[key] ??= {};
      at = at[key] as Record<string, unknown>;
    }
    at[path.at(-1) ?? ''] = value;
  }
  return tree;
}
