/** A small file system of its own for a folder, so that a disk can be full. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const isRoot = process.platform === 'linux' && process.getuid?.() === 0;

/** False where even root may not mount (a container without the capability). */
export function mount(folder: string): boolean {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const options = ['-t', 'tmpfs', '-o', 'size=64m,mode=700', 'tmpfs', folder];
  return spawnSync('mount', options).status === 0;
}

/** Lazily: a driver may still have its log open there; closing its root ends it. */
export function unmount(folder: string): void {
  empty(folder);
  spawnSync('umount', ['-l', folder]);
}

/** Whether this machine lets us have one at all; tried once. */
export function canMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-mount-'));
  const isMounted = isRoot && mount(folder);
  if (isMounted) unmount(folder);
  rmSync(folder, { recursive: true, force: true });
  return isMounted;
}

/** As a shell has it: it takes all the room there is. */
export const filling = (folder: string): string =>
  `dd if=/dev/zero of='${folder}/fill' bs=64k 2>/dev/null`;

export function fill(folder: string): void {
  spawnSync('sh', ['-c', filling(folder)]);
}

/** What filled it is gone. */
export function empty(folder: string): void {
  rmSync(join(folder, 'fill'), { force: true });
}
