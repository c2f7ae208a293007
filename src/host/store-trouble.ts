/**
 * Whether the store's disk can take what runs write: the trouble of pawl itself that `status` names
 * above everything else (UX 5.2). Tried, not guessed: a read-only mount has space, too.
 */
import { open, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { isDiskFull } from '../kernel/disk-full.ts';
import type { HealthCheck } from '../ports/health.ts';
import { freeCheck } from './health.ts';

const probeBytes = 64 * 1024;

/** Nothing where all is well. Costs a write of 64 KB, which is removed. */
export async function storeTrouble(home: string): Promise<readonly HealthCheck[]> {
  const refused = await refusal(home);
  if (refused !== null) return [refused];
  const free = await freeBytes(home);
  const low = free === null ? null : freeCheck(free);
  if (low === null || low.state === 'ok') return [];
  return [{ ...low, detail: `${low.detail} for ${home}` }];
}

async function refusal(home: string): Promise<HealthCheck | null> {
  const path = join(home, `.writable-${process.pid}`);
  try {
    const file = await open(path, 'w', 0o600);
    try {
      await file.writeFile(Buffer.alloc(probeBytes));
    } finally {
      await file.close();
      await rm(path, { force: true });
    }
    return null;
  } catch (error: unknown) {
    return { id: 'store.writable', state: 'fail', ...told(error, home) };
  }
}

function told(error: unknown, home: string): Pick<HealthCheck, 'detail' | 'next'> {
  if (isDiskFull(error)) {
    const so = 'runs wait until there is';
    return { detail: `store unwritable: no space left for ${home}; ${so}`, next: 'pawl prune' };
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
  return { detail: `store unwritable: ${home} (${code})`, next: 'pawl doctor' };
}

async function freeBytes(home: string): Promise<number | null> {
  try {
    const { bavail, bsize } = await statfs(home);
    return bavail * bsize;
  } catch {
    // Nobody can tell; that it can be written was just seen.
    return null;
  }
}
