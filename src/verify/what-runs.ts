/**
 * What the commands of a check lead to at the base: package scripts, recipes of `make`, scripts,
 * and what those call in turn, to a bounded depth. Inside a shell script only further shell
 * scripts and files named like a check are followed: the program that it tries is the work.
 */
import { posix } from 'node:path';
import { goalsOf, recipesOf } from './makefile.ts';
import { valueAt } from './protected-paths.ts';
import { programsOf } from './shell-words.ts';

interface Base {
  readonly files: ReadonlyMap<string, string>;
  readonly manifest: unknown;
  read(path: string): Promise<string | null>;
}

/** A command line, and how far it is from a command of the check. */
interface Line {
  readonly text: string;
  readonly depth: number;
  readonly inScript: boolean;
}

interface Led {
  /** Also makefiles that are not there yet: `make` would prefer one. */
  readonly files: Set<string>;
  readonly scripts: Set<string>;
}

/** From the command: scripts call scripts, files call files, but not for ever. */
const scriptDepthMax = 5;
const fileDepthMax = 3;
const linesMax = 2_000;
const textMax = 100_000;

export async function whatRuns(
  check: { readonly cwd: string; readonly commands: readonly string[] },
  base: Base,
): Promise<Led> {
  const led: Led = { files: new Set(), scripts: new Set() };
  const waiting: Line[] = check.commands.map((text) => ({ text, depth: 0, inScript: false }));
  for (let n = 0; n < Math.min(waiting.length, linesMax); n += 1) {
    const line = waiting[n];
    if (line === undefined) break;
    waiting.push(...scriptLines(line, base.manifest, led));
    waiting.push(...(await madeLines(line, check.cwd, { base, led })));
    waiting.push(...(await fileLines(line, check.cwd, { base, led })));
  }
  return led;
}

function scriptLines(line: Line, manifest: unknown, led: Led): readonly Line[] {
  if (line.depth >= scriptDepthMax) return [];
  const unseen = scriptsNamed([line.text]).filter((name) => !led.scripts.has(name));
  for (const name of unseen) led.scripts.add(name);
  return unseen.flatMap((name) => {
    const text = scriptText(manifest, name);
    return text === null ? [] : [{ text, depth: line.depth + 1, inScript: false }];
  });
}

const makers = /^(?:make|gmake|just|task)$/;
/** In the order in which GNU make looks. */
const makefiles = ['GNUmakefile', 'makefile', 'Makefile'] as const;
const otherMakers = ['justfile', 'Justfile', '.justfile', 'Taskfile.yml', 'Taskfile.yaml'];

interface At {
  readonly base: Base;
  readonly led: Led;
}

async function madeLines(line: Line, cwd: string, { base, led }: At): Promise<readonly Line[]> {
  const makes = programsOf(line.text).filter((program) => makers.test(program));
  if (makes.length === 0) return [];
  for (const name of [...makefiles, ...otherMakers]) led.files.add(posix.join(cwd, name));
  const file = makefiles.map((name) => posix.join(cwd, name)).find((one) => base.files.has(one));
  if (file === undefined || line.depth >= fileDepthMax) return [];
  const { commands, includes } = recipesOf(await readText(base, file), goalsOf(line.text));
  for (const name of includes) addFile(posix.join(cwd, name), { base, led });
  return commands.map((text) => ({ text, depth: line.depth + 1, inScript: false }));
}

async function fileLines(line: Line, cwd: string, at: At): Promise<readonly Line[]> {
  const found: Line[] = [];
  for (const program of programsOf(line.text)) {
    const path = posix.join(cwd, program);
    if (program.startsWith('/') || !at.base.files.has(path) || at.led.files.has(path)) continue;
    if (line.inScript && !isOfTheCheck(path)) continue;
    addFile(path, at);
    if (line.depth >= fileDepthMax) continue;
    const text = await readText(at.base, path);
    if (!isShell(path, text)) continue;
    const lines = text
      .replace(/\\\n/g, ' ')
      .replace(/(?:^|\s)#.*$/gm, '')
      .split('\n');
    found.push(...lines.map((one) => ({ text: one, depth: line.depth + 1, inScript: true })));
  }
  return found;
}

function addFile(path: string, { base, led }: At): void {
  if (base.files.has(path)) led.files.add(path);
}

async function readText(base: Base, path: string): Promise<string> {
  return ((await base.read(path)) ?? '').slice(0, textMax);
}

function isShell(path: string, text: string): boolean {
  if (text.startsWith('#!')) return /^#!.*\b(?:ba|da|z|k)?sh\b/.test(text);
  return /\.(?:sh|bash)$/.test(path) || !posix.basename(path).includes('.');
}

/** What a shell script calls is mostly the work; only what is named like a check is none. */
const isOfTheCheck = (path: string): boolean =>
  /\.(?:sh|bash)$/.test(path) ||
  /(?:^|[-_.])(?:tests?|checks?|verify|specs?|ci|lint|runner)(?:$|[-_.])/.test(
    posix.basename(path),
  );

const scriptCall =
  /\b(?:npm|pnpm|yarn|bun)(?:\s+--?\S+)*\s+(?:run(?:-script)?\s+)?(?:--?\S+\s+)*([\w:.-]+)/g;

/** `npm test`, `npm run lint`, `pnpm lint`, `yarn test`: with the hooks around each. */
export function scriptsNamed(commands: readonly string[]): readonly string[] {
  const called = commands.flatMap((command) =>
    [...command.matchAll(scriptCall)].map((match) => (match[1] === 't' ? 'test' : match[1])),
  );
  return [...new Set(called.flatMap((name) => [`pre${name}`, `${name}`, `post${name}`]))];
}

export function scriptText(manifest: unknown, name: string): string | null {
  const value = valueAt(manifest, ['scripts', name]);
  return typeof value === 'string' ? value.slice(0, 500) : null;
}
