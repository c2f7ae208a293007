/**
 * Precedence (UX 4.3): flags > environment > pawl.yaml > the user's config.yaml > defaults. Maps
 * merge by key, lists replace. Two exceptions towards safety: `protected` and `env.allow` of the
 * user's file are added to the project's.
 */
import { isFields } from '../kernel/json.ts';
import type { DefinitionFile } from './definition-file.ts';
import type { Layer } from './layer.ts';
import { valueAt } from './value-path.ts';

type Tree = { [key: string]: unknown };

export interface Merged {
  readonly value: DefinitionFile;
  /** The layer that a value came from; `default` when none gave it. */
  origin(path: readonly (string | number)[]): Layer | null;
}

/** `layers` highest first; each is normalised to long forms before it is merged. */
export function mergeLayers(layers: readonly Layer[]): Merged {
  const longs = layers.map((layer) => ({ layer, value: longForm(layer.value) }));
  let merged: Tree = {};
  for (const { value } of [...longs].reverse()) merged = over(merged, roleAware(merged, value));
  for (const path of [['protected'], ['env', 'allow']]) addUp(merged, path, longs);
  return {
    value: merged as DefinitionFile,
    origin: (path) => longs.find(({ value }) => valueAt(value, path) !== undefined)?.layer ?? null,
  };
}

/**
 * `agent: claude:sonnet` → `roles.execute`; `setup` → `workspace.setup.run`; `check` → `criteria`.
 */
export function longForm(value: DefinitionFile): Tree {
  const { agent, setup, check, ...rest } = value as Tree & DefinitionFile;
  let long: Tree = { ...rest };
  if (agent !== undefined) long = over(long, { roles: { execute: agentOf(agent) } });
  if (setup !== undefined) long = over(long, { workspace: { setup: { run: setup } } });
  if (check !== undefined) long['criteria'] = [check].flat().map((command) => ({ test: command }));
  return long;
}

/** `name[:model]`. */
export function agentOf(text: string): { readonly agent: string; readonly model?: string } {
  const colon = text.indexOf(':');
  return colon < 0
    ? { agent: text }
    : { agent: text.slice(0, colon), model: text.slice(colon + 1) };
}

/**
 * A layer that names another agent does not inherit the model and arguments meant for the first.
 */
function roleAware(below: Tree, above: Tree): Tree {
  const roles = above['roles'];
  if (!isTree(roles)) return above;
  const kept: Tree = {};
  for (const [name, role] of Object.entries(roles)) {
    const before = valueAt(below, ['roles', name, 'agent']);
    const other =
      isTree(role) &&
      role['agent'] !== undefined &&
      before !== undefined &&
      role['agent'] !== before;
    kept[name] = other ? { model: undefined, args: undefined, ...role } : role;
  }
  return { ...above, roles: kept };
}

function over(below: Tree, above: Tree): Tree {
  const result: Tree = { ...below };
  for (const [key, value] of Object.entries(above)) {
    const under = result[key];
    result[key] = isTree(value) && isTree(under) ? over(under, value) : value;
  }
  return result;
}

function addUp(
  merged: Tree,
  path: readonly string[],
  longs: readonly { readonly layer: Layer; readonly value: Tree }[],
): void {
  const user = longs.find(({ layer }) => layer.kind === 'user');
  const extra = user === undefined ? undefined : valueAt(user.value, path);
  const present = valueAt(merged, path);
  if (!Array.isArray(extra) || !Array.isArray(present)) return;
  const both = [...new Set([...present, ...extra])];
  const [first, second] = path;
  if (first === undefined) return;
  if (second === undefined) merged[first] = both;
  else merged[first] = { ...(merged[first] as Tree), [second]: both };
}

const isTree = (value: unknown): value is Tree => isFields(value);
