/**
 * Without git there is no base to hold the work against. So the folder is printed before the first
 * turn, and what the checks run and what is protected is compared with that print afterwards, by
 * the same rules as two commits.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { lstat, readdir, readFile, readlink } from 'node:fs/promises';
import { join, posix } from 'node:path';
import type { Commit } from '../domain/ids.ts';
import type { CheckTrees } from '../ports/workspace.ts';
import type { CheckJob } from './job.ts';
import { splitProtected } from './protected-paths.ts';

const filesMax = 20_000;
const textsMax = 200;
const textNames =
  /^(package\.json|GNUmakefile|[Mm]akefile|justfile|Taskfile\.ya?ml|\.gitignore|.*\.(sh|mk))$/;
const hashedBytesMax = 1024 * 1024;
const hashedTotalMax = 64 * 1024 * 1024;
/** Made by tools, large, and no source of a check. */
const passedOver = new Set(['.git', 'node_modules', '.venv', '__pycache__', '.pawl']);

interface FolderPrint {
  readonly files: Readonly<Record<string, string>>;
  /** What is read and not only compared. */
  readonly texts: Readonly<Record<string, string>>;
}

type Trees = Pick<CheckTrees, 'list' | 'show'>;

/** Two states of a folder in the shape that two commits of a repository have. */
export interface FolderStates {
  readonly trees: Trees;
  readonly where: { readonly root: string; readonly base: Commit; readonly commit: Commit };
}

/** Once in a run, before its first turn; later calls change nothing. */
export async function keepFolderPrint(job: CheckJob): Promise<void> {
  const { definition } = job.request;
  if (definition.source.base !== null) return;
  const file = fileOf(job);
  if (readPrint(file) !== null) return;
  const print = await printOf(definition.project.root, isTextOf(job));
  mkdirSync(join(job.settings.home, 'folders'), { recursive: true, mode: 0o700 });
  writeFileSync(file, JSON.stringify(print), { mode: 0o600 });
}

/** Null with git, and when nothing was printed. */
export async function folderStates(job: CheckJob): Promise<FolderStates | null> {
  const { definition } = job.request;
  const before = definition.source.base === null ? readPrint(fileOf(job)) : null;
  if (before === null) return null;
  const { root } = definition.project;
  const now = await printOf(root, isTextOf(job));
  const of = (state: Commit): FolderPrint => (state === 'before' ? before : now);
  return {
    where: { root, base: 'before' as Commit, commit: 'now' as Commit },
    trees: {
      list: (_root, state) => Promise.resolve(new Map(Object.entries(of(state).files))),
      show: (_root, state, path) => {
        const text = of(state).texts[path];
        return Promise.resolve(text === undefined ? null : Buffer.from(text));
      },
    },
  };
}

const fileOf = ({ settings, request }: CheckJob): string =>
  join(settings.home, 'folders', `${request.run}.json`);

/** Files that say what else is run, and those of which a part is protected. */
function isTextOf({ request }: CheckJob): (path: string) => boolean {
  const parts = splitProtected(request.definition.protected).parts.map(({ path }) => path);
  return (path) => parts.includes(path) || textNames.test(posix.basename(path));
}

function readPrint(file: string): FolderPrint | null {
  try {
    const print: FolderPrint = JSON.parse(readFileSync(file, 'utf8'));
    return print;
  } catch (error: unknown) {
    // Absent, or cut short by a kill before any turn: it is taken anew.
    if (error instanceof SyntaxError) return null;
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

async function printOf(root: string, isText: (path: string) => boolean): Promise<FolderPrint> {
  const files: Record<string, string> = {};
  const room = { bytes: hashedTotalMax };
  for (const path of await filesBelow(root)) {
    const print = await contentPrint(join(root, path), room);
    if (print !== null) files[path] = print;
  }
  const read: Record<string, string> = {};
  const texts = Object.keys(files).filter(isText);
  for (const path of texts.slice(0, textsMax)) {
    if (files[path]?.startsWith('sha256:') !== true) continue;
    read[path] = await readFile(join(root, path), 'utf8');
  }
  return { files, texts: read };
}

/** Breadth first, so that a deep heap of output hides no script at the top. */
async function filesBelow(root: string): Promise<readonly string[]> {
  const found: string[] = [];
  const folders = [''];
  for (let at = 0; at < folders.length && found.length < filesMax; at += 1) {
    const folder = folders[at] ?? '';
    for (const entry of await entriesIn(join(root, folder))) {
      const path = posix.join(folder, entry.name);
      if (!entry.isDirectory()) found.push(path);
      else if (!passedOver.has(entry.name)) folders.push(path);
    }
  }
  return found.slice(0, filesMax).sort();
}

/** A folder that went away or may not be read has nothing that can be compared. */
async function entriesIn(folder: string) {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
}

/** Null when it is gone or cannot be read. */
async function contentPrint(path: string, room: { bytes: number }): Promise<string | null> {
  try {
    const stat = await lstat(path);
    if (stat.isSymbolicLink()) return `link ${await readlink(path)}`;
    const isLarge = stat.size > hashedBytesMax || stat.size > room.bytes;
    if (!stat.isFile() || isLarge) return `stat ${stat.mode} ${stat.size} ${stat.mtimeMs}`;
    room.bytes -= stat.size;
    const digest = createHash('sha256')
      .update(await readFile(path))
      .digest('hex');
    return `sha256:${digest} ${stat.mode & 0o111}`;
  } catch {
    return null;
  }
}
