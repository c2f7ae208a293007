/** Where the store may lie: a private folder on a disk of this machine. */
import { chmodSync, existsSync, mkdirSync, readFileSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { WorldError } from '../../kernel/errors.ts';

/** Magic numbers of statfs(2) on Linux; WAL needs memory shared by all who open the file. */
const networkMagic: ReadonlyMap<number, string> = new Map([
  [0x6969, 'nfs'],
  [0x517b, 'smb'],
  [0xff534d42, 'cifs'],
  [0xfe534d42, 'smb2'],
  [0x5346414f, 'afs'],
  [0x6b414653, 'afs'],
  [0x73757245, 'coda'],
  [0x00c36400, 'ceph'],
  [0x01021997, '9p'],
  [0x0bd00bd0, 'lustre'],
  [0x47504653, 'gpfs'],
  [0x01161970, 'gfs2'],
  [0x7461636f, 'ocfs2'],
  [0x19830326, 'beegfs'],
]);
const fuseMagic = 0x65735546;
const networkFuse = /^fuse\.(sshfs|s3fs|gcsfuse|rclone|glusterfs|ceph|davfs|davfs2|smbnetfs|nfs)/;

/** The name of the network file system; null when the folder is on a disk of this machine. */
export function networkName(magic: number, mountType: string | null): string | null {
  const known = networkMagic.get(magic >>> 0);
  if (known !== undefined) return known;
  if (magic !== fuseMagic || mountType === null) return null;
  return networkFuse.test(mountType) ? mountType : null;
}

/**
 * Type of the mount that holds the path, from /proc/self/mountinfo; the longest mount point wins.
 */
export function mountTypeOf(mountinfo: string, path: string): string | null {
  let best: { readonly point: string; readonly type: string } | null = null;
  for (const line of mountinfo.split('\n')) {
    const [before, after] = line.split(' - ');
    const point = before?.split(' ')[4]?.replace(/\\040/g, ' ');
    const type = after?.split(' ')[0];
    if (point === undefined || type === undefined) continue;
    const holds = path === point || path.startsWith(point === '/' ? '/' : `${point}/`);
    if (holds && (best === null || point.length >= best.point.length)) best = { point, type };
  }
  return best?.type ?? null;
}

/**
 * Makes the folder, private to its owner; in one go, since a process that opens the store has
 * nothing else to do meanwhile, and five waits for another thread take longer than the calls.
 * @throws WorldError `store_network` on a network file
 * system, `store_unusable` when it cannot be made or closed to others.
 */
export function prepareDirectory(directory: string): void {
  try {
    makeFolder(directory);
    const { mode } = statSync(directory);
    if ((mode & 0o077) !== 0) chmodSync(directory, 0o700);
  } catch (error: unknown) {
    const said = error instanceof Error ? error.message : String(error);
    throw new WorldError('store_unusable', `no store in ${directory}: ${said}`, {}, error);
  }
  const name = networkFileSystem(directory);
  if (name !== null) {
    const what = `${directory} is on a network file system (${name}); a store would be damaged there`;
    throw new WorldError('store_network', what);
  }
}

/**
 * One try for each folder on the way: `recursive` tries for ever where none can be made (`/proc`).
 */
function makeFolder(directory: string): void {
  const above = dirname(directory);
  if (above !== directory && !existsSync(above)) makeFolder(above);
  try {
    mkdirSync(directory, 0o700);
  } catch (error: unknown) {
    // There, or made by another process in the same moment.
    if (!statSync(directory).isDirectory()) throw error;
  }
}

function networkFileSystem(directory: string): string | null {
  // Elsewhere `type` is not a magic number, or says nothing.
  if (process.platform !== 'linux') return null;
  const { type } = statfsSync(directory);
  const mountinfo = type === fuseMagic ? readFileSync('/proc/self/mountinfo', 'utf8') : '';
  return networkName(type, mountTypeOf(mountinfo, directory));
}
