/**
 * What a check is itself made of: the package script that it names, the script file that it runs.
 * When the work changed it, that is named, whether it is protected or not (L-A11).
 */
import { posix } from 'node:path';
import type { Commit } from '../domain/ids.ts';
import type { CheckTrees } from '../ports/workspace.ts';
import { parse, valueAt } from './protected-paths.ts';

export interface SourceChange {
  /** `package.json#scripts.test` or a path. */
  readonly what: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** Changes between base and commit in what the commands are made of; at most 20. */
export async function checkSourceChanges(
  trees: CheckTrees,
  where: { readonly root: string; readonly base: Commit; readonly commit: Commit },
  check: { readonly cwd: string; readonly commands: readonly string[] },
): Promise<readonly SourceChange[]> {
  const [before, after] = await Promise.all([
    trees.list(where.root, where.base),
    trees.list(where.root, where.commit),
  ]);
  const changes: SourceChange[] = [];
  for (const path of filesNamed(check.commands, check.cwd, before)) {
    const [old, now] = [before.get(path) ?? null, after.get(path) ?? null];
    if (old !== now) changes.push({ what: path, before: old, after: now });
  }
  const manifest = posix.join(check.cwd, 'package.json');
  const names = scriptsNamed(check.commands);
  if (names.length > 0 && before.get(manifest) !== after.get(manifest)) {
    const read = async (commit: Commit) => {
      const bytes = await trees.show(where.root, commit, manifest);
      return bytes === null ? undefined : parse(Buffer.from(bytes).toString('utf8'));
    };
    const [old, now] = [await read(where.base), await read(where.commit)];
    for (const name of names) {
      const [was, is] = [scriptText(old, name), scriptText(now, name)];
      if (was !== is) {
        changes.push({ what: `${manifest}#scripts.${name}`, before: was, after: is });
      }
    }
  }
  return changes.slice(0, 20);
}

const scriptCall =
  /\b(?:npm|pnpm|yarn|bun)(?:\s+--?\S+)*\s+(?:run(?:-script)?\s+)?(?:--?\S+\s+)*([\w:.-]+)/g;

/** `npm test`, `npm run lint`, `pnpm lint`, `yarn test`: with the hooks around each. */
export function scriptsNamed(commands: readonly string[]): readonly string[] {
  const called = commands.flatMap((command) =>
    [...command.matchAll(scriptCall)].map((match) => (match[1] === 't' ? 'test' : match[1])),
  );
  return [...new Set(called.flatMap((name) => [`pre${name}`, `${name}`, `post${name}`]))];
}

/** Words of the commands that are files at the base. */
function filesNamed(
  commands: readonly string[],
  cwd: string,
  before: ReadonlyMap<string, string>,
): readonly string[] {
  const found = new Set<string>();
  for (const word of commands.flatMap((command) => command.split(/[\s;&|()<>"'`=]+/))) {
    if (word === '' || word.startsWith('/')) continue;
    const path = posix.join(cwd, word);
    if (before.has(path)) found.add(path);
  }
  if (commands.some((command) => /\b(?:make|just|task)\b/.test(command))) {
    for (const name of ['Makefile', 'makefile', 'GNUmakefile', 'justfile', 'Taskfile.yml']) {
      const path = posix.join(cwd, name);
      if (before.has(path)) found.add(path);
    }
  }
  return [...found];
}

function scriptText(manifest: unknown, name: string): string | null {
  const value = valueAt(manifest, ['scripts', name]);
  return typeof value === 'string' ? value.slice(0, 500) : null;
}
