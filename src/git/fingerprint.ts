/** Prints of a checkout, taken without writing and compared later. */
import { createHash } from 'node:crypto';
import { readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { CheckoutPrint, Tree } from '../ports/workspace.ts';
import { entriesOf, statOf } from './files.ts';
import { statusOf } from './inspect.ts';
import { prove } from './proof.ts';
import { refPrints } from './refs.ts';
import { branchOf, commitOf, type Place, repositoryAt } from './repository.ts';

const hashedBytesMax = 1024 * 1024;
const hashedTotalMax = 64 * 1024 * 1024;
const pathsMax = 20_000;

/** Ignored files that tools rewrite all the time; a change of them tells nothing. */
const noise = /(\.(log|tsbuildinfo|py[co]|sw[op]|tmp|pid|lock)|\.DS_Store|cache[^/]*)$/i;

const isSample = /\.sample$/;

const digestOf = (text: string | Uint8Array): string =>
  createHash('sha256').update(text).digest('hex');

const nothing: CheckoutPrint = { head: null, branch: null, digest: digestOf(''), paths: {} };

/** By content where that is cheap; a file that was only touched counts as the same. */
export async function fingerprint(place: Place, root: string): Promise<CheckoutPrint> {
  const repository = await repositoryAt(place, root);
  if (repository === null) return nothing;
  const call = { cwd: repository.root };
  const head = await commitOf(place, 'HEAD', call);
  const branch = await branchOf(place, call);
  const stash = await place.git.maybe(['rev-parse', '-q', '--verify', 'refs/stash'], call);
  const files = repository.bare ? {} : await pathPrints(place, repository.root);
  const paths = { ...files, ...(await settingPrints(repository.commonDir)) };
  const digest = digestOf(JSON.stringify([head, branch, stash, paths]));
  return { head, branch, digest, paths, refs: await refPrints(place, call) };
}

async function pathPrints(place: Place, root: string): Promise<Record<string, string>> {
  const changed = await statusOf(place, root, { ignored: false });
  const ignored = (await statusOf(place, root, { ignored: true })).filter(
    ({ code, path }) => code === '!!' && !path.endsWith('/') && !noise.test(path),
  );
  const prints: Record<string, string> = {};
  const room = { bytes: hashedTotalMax };
  for (const { code, path } of [...changed, ...ignored].slice(0, pathsMax)) {
    prints[path] = `${code} ${await contentPrint(join(root, path), room)}`;
  }
  return prints;
}

const settingFiles: readonly string[] = [
  'config',
  'config.worktree',
  'info/attributes',
  'info/exclude',
  'info/grafts',
];

/** Git's own settings: what is written there runs in, or bends, the user's checkout (L-G15). */
async function settingPrints(commonDir: string): Promise<Record<string, string>> {
  const hooks = (await entriesOf(join(commonDir, 'hooks'))).filter((name) => !isSample.test(name));
  const names = [...settingFiles, ...hooks.map((name) => `hooks/${name}`)];
  const prints: Record<string, string> = {};
  const room = { bytes: hashedTotalMax };
  for (const name of names.slice(0, pathsMax)) {
    // An empty one sets nothing: sandboxes of agents put some there, to mount over them.
    const isEmpty = settingFiles.includes(name) && (await isEmptyFile(join(commonDir, name)));
    const print = isEmpty ? 'gone' : await contentPrint(join(commonDir, name), room);
    if (print !== 'gone') prints[`.git/${name}`] = print;
  }
  return prints;
}

async function isEmptyFile(path: string): Promise<boolean> {
  const stat = await statOf(path);
  return stat?.isFile() === true && stat.size === 0;
}

async function contentPrint(path: string, room: { bytes: number }): Promise<string> {
  const stat = await statOf(path);
  if (stat === null) return 'gone';
  if (stat.isSymbolicLink()) return `link ${await readlink(path)}`;
  const byStat = `${stat.mode} ${stat.size} ${stat.mtimeMs} ${stat.ino}`;
  if (!stat.isFile() || stat.size > hashedBytesMax || stat.size > room.bytes) return byStat;
  room.bytes -= stat.size;
  return readFile(path).then(
    (bytes) => `${stat.mode} ${digestOf(bytes)}`,
    () => byStat,
  );
}

/** By stat, so that every write after the proof shows, even one that restored the content. */
export async function treeFingerprint(place: Place, tree: Tree): Promise<string> {
  if (tree.isolation === 'none') return (await fingerprint(place, tree.directory)).digest;
  const { directory, record, call } = await prove(place, tree);
  const refs = await Promise.all([
    commitOf(place, 'HEAD', call),
    branchOf(place, call),
    commitOf(place, `refs/heads/${record.branch}`, call),
  ]);
  const lines: string[] = [];
  const status = await statusOf(place, directory, { ignored: false, env: call.env ?? {} });
  for (const { code, path } of status.slice(0, pathsMax)) {
    const stat = await statOf(join(directory, path));
    lines.push(`${code} ${path} ${stat?.size} ${stat?.mtimeMs} ${stat?.ctimeMs} ${stat?.ino}`);
  }
  return digestOf(JSON.stringify([refs, status.length, lines]));
}
