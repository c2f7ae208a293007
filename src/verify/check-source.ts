/**
 * What a check is itself made of: the package script that it calls, the script file that it runs,
 * and what those call in turn. When the work changed it, that is named, whether it is protected or
 * not; and a pass then waits for a human (L-A11, docs/adr/0006).
 */
import { posix } from 'node:path';
import type { Definition } from '../domain/definition/definition.ts';
import type { Commit } from '../domain/ids.ts';
import type { CheckTrees } from '../ports/workspace.ts';
import { parse, valueAt } from './protected-paths.ts';
import { programsOf } from './shell-words.ts';

export interface SourceChange {
  /** `package.json#scripts.test` or a path. */
  readonly what: string;
  readonly before: string | null;
  readonly after: string | null;
  /** It is run by the check; else it is only named in the command, and may be the work itself. */
  readonly isRun: boolean;
}

/** Scripts call scripts, but not for ever. */
const depthMax = 5;
const changesMax = 20;

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
  const read = async (commit: Commit) => {
    const bytes = await trees.show(where.root, commit, manifest);
    return bytes === null ? undefined : parse(Buffer.from(bytes).toString('utf8'));
  };
  const [old, now] = [await read(where.base), await read(where.commit)];
  const { names, commands } = expanded(check.commands, old);
  const run = new Set(filesRun(commands, check.cwd, before));
  const changes: SourceChange[] = [];
  for (const path of new Set([...run, ...filesNamed(check.commands, check.cwd, before)])) {
    const [was, is] = [before.get(path) ?? null, after.get(path) ?? null];
    if (was !== is) changes.push({ what: path, before: was, after: is, isRun: run.has(path) });
  }
  for (const name of names) {
    const [was, is] = [scriptText(old, name), scriptText(now, name)];
    if (was === is) continue;
    changes.push({ what: `${manifest}#scripts.${name}`, before: was, after: is, isRun: true });
  }
  return changes.slice(0, changesMax);
}

/** The commands with the text at the base of every package script that they lead to. */
function expanded(
  commands: readonly string[],
  manifest: unknown,
): { readonly names: readonly string[]; readonly commands: readonly string[] } {
  const names = new Set<string>();
  const all = [...commands];
  let next = scriptsNamed(commands);
  for (let depth = 0; depth < depthMax && next.length > 0; depth += 1) {
    const unseen = next.filter((name) => !names.has(name));
    for (const name of unseen) names.add(name);
    const texts = unseen.flatMap((name) => scriptText(manifest, name) ?? []);
    all.push(...texts);
    next = scriptsNamed(texts);
  }
  return { names: [...names], commands: all };
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

const makers = /^(?:make|gmake|just|task)$/;
const makefiles = ['Makefile', 'makefile', 'GNUmakefile', 'justfile', 'Taskfile.yml'];

/** Files at the base that the commands run: `./check.sh`, `node check.mjs`, the file of `make`. */
function filesRun(
  commands: readonly string[],
  cwd: string,
  before: ReadonlyMap<string, string>,
): readonly string[] {
  const programs = commands.flatMap(programsOf);
  const made = programs.some((program) => makers.test(program)) ? makefiles : [];
  return [...programs, ...made]
    .filter((program) => !program.startsWith('/'))
    .map((program) => posix.join(cwd, program))
    .filter((path) => before.has(path));
}

/** Words of the commands that are files at the base. */
function filesNamed(
  commands: readonly string[],
  cwd: string,
  before: ReadonlyMap<string, string>,
): readonly string[] {
  return commands
    .flatMap((command) => command.split(/[\s;&|()<>"'`=]+/))
    .filter((word) => word !== '' && !word.startsWith('/'))
    .map((word) => posix.join(cwd, word))
    .filter((path) => before.has(path));
}

function scriptText(manifest: unknown, name: string): string | null {
  const value = valueAt(manifest, ['scripts', name]);
  return typeof value === 'string' ? value.slice(0, 500) : null;
}
