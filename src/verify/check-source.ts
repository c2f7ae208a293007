/**
 * What a check is itself made of: the package script that it calls, the script file that it runs,
 * and what those call in turn. When the work changed it, that is named, whether it is protected or
 * not; and a pass then waits for a human (L-A11, docs/adr/0006).
 */
import { posix } from 'node:path';
import type { Definition } from '../domain/definition/definition.ts';
import type { Commit } from '../domain/ids.ts';
import type { CheckTrees } from '../ports/workspace.ts';
import { isInfrastructure, manifestParts } from './check-infrastructure.ts';
import { type Ignores, planted } from './planted.ts';
import { parse, valueAt } from './protected-paths.ts';
import { scriptText, whatRuns } from './what-runs.ts';

export interface SourceChange {
  /** `package.json#scripts.test` or a path. */
  readonly what: string;
  readonly before: string | null;
  readonly after: string | null;
  /** It is run by the check; else it is only named in the command, and may be the work itself. */
  readonly isRun: boolean;
}

const changesMax = 20;

type Listing = ReadonlyMap<string, string>;

interface Check {
  readonly cwd: string;
  readonly commands: readonly string[];
}

interface Where {
  readonly root: string;
  readonly base: Commit;
  readonly commit: Commit;
}

/** The commands that judge, and where they run. */
export function checkOf({ criteria, project }: Pick<Definition, 'criteria' | 'project'>): Check {
  const commands = criteria.flatMap((one) => ('command' in one ? [one.command] : []));
  return { cwd: project.cwd, commands };
}

/** Changes between base and commit in what the commands are made of; at most 20. */
export async function checkSourceChanges(
  trees: Pick<CheckTrees, 'list' | 'show'>,
  where: Where,
  check: Check,
): Promise<readonly SourceChange[]> {
  const [before, after] = await Promise.all([
    trees.list(where.root, where.base),
    trees.list(where.root, where.commit),
  ]);
  const manifest = posix.join(check.cwd, 'package.json');
  const text = async (commit: Commit, path: string) => {
    const bytes = await trees.show(where.root, commit, path);
    return bytes === null ? null : Buffer.from(bytes).toString('utf8');
  };
  const manifestAt = async (commit: Commit) => {
    const found = await text(commit, manifest);
    return found === null ? undefined : parse(found);
  };
  const [old, now] = [await manifestAt(where.base), await manifestAt(where.commit)];
  const led = await whatRuns(check, {
    files: before,
    manifest: old,
    read: (path) => text(where.base, path),
  });
  const isRun = (path: string) => led.files.has(path) || isInfrastructure(path);
  const paths = new Set([
    ...led.files,
    ...[...after.keys(), ...before.keys()].filter(isInfrastructure),
    ...filesNamed(check.commands, check.cwd, before),
  ]);
  const ignores = await ignoresAt(before, (path) => text(where.base, path));
  const changes = planted(before, after, ignores).map((path) =>
    changeOf(path, { before, after }, true),
  );
  for (const path of paths) {
    const change = changeOf(path, { before, after }, isRun(path));
    const isNamed = changes.some(({ what }) => covers(what, path));
    if (change.before !== change.after && !isNamed) changes.push(change);
  }
  for (const name of led.scripts) {
    const [was, is] = [scriptText(old, name), scriptText(now, name)];
    if (was === is) continue;
    changes.push({ what: `${manifest}#scripts.${name}`, before: was, after: is, isRun: true });
  }
  return [...changes, ...partChanges(manifest, old, now)].slice(0, changesMax);
}

function changeOf(
  what: string,
  at: { readonly before: Listing; readonly after: Listing },
  isRun: boolean,
): SourceChange {
  return { what, before: at.before.get(what) ?? null, after: at.after.get(what) ?? null, isRun };
}

const covers = (what: string, path: string): boolean =>
  what === path || (what.endsWith('/**') && path.startsWith(what.slice(0, -2)));

/** Settings of test runners that lie in the manifest. */
function partChanges(manifest: string, old: unknown, now: unknown): readonly SourceChange[] {
  const textOf = (of: unknown, part: string) => {
    const value = valueAt(of, [part]);
    return value === undefined ? null : JSON.stringify(value).slice(0, 500);
  };
  return manifestParts.flatMap((part) => {
    const [before, after] = [textOf(old, part), textOf(now, part)];
    return before === after ? [] : [{ what: `${manifest}#${part}`, before, after, isRun: true }];
  });
}

const ignoreFilesMax = 50;

async function ignoresAt(
  before: Listing,
  read: (path: string) => Promise<string | null>,
): Promise<readonly Ignores[]> {
  const paths = [...before.keys()].filter((path) => posix.basename(path) === '.gitignore');
  const found: Ignores[] = [];
  for (const path of paths.slice(0, ignoreFilesMax)) {
    const text = await read(path);
    if (text !== null) found.push({ folder: posix.dirname(path), text });
  }
  return found;
}

/** Words of the commands that are files at the base. */
function filesNamed(commands: readonly string[], cwd: string, before: Listing): readonly string[] {
  return commands
    .flatMap((command) => command.split(/[\s;&|()<>"'`=]+/))
    .filter((word) => word !== '' && !word.startsWith('/'))
    .map((word) => posix.join(cwd, word))
    .filter((path) => before.has(path));
}
