/**
 * Whether the store's disk can take what runs write: the trouble of pawl itself that `status` names
 * above everything else (UX 5.2). Tried, not guessed: a read-only mount has space, too.
 */
import { closeSync, openSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDiskFull } from '../kernel/disk-full.ts';
import type { HealthCheck } from '../ports/health.ts';
import { freeCheck } from './health.ts';

const probeBytes = 64 * 1024;

/**
 * Nothing where all is well. Costs a write of 64 KB, which is removed; in one go, since who asks
 * has nothing else to do meanwhile, and waiting for another thread takes longer than the calls.
 */
export function storeTrouble(home: string): readonly HealthCheck[] {
  const refused = refusal(home);
  if (refused !== null) return [refused];
  const free = freeBytes(home);
  const low = free === null ? null : freeCheck(free);
  if (low === null || low.state === 'ok') return [];
  return [{ ...low, detail: `${low.detail} for ${home}` }];
}

function refusal(home: string): HealthCheck | null {
  const path = join(home, `.writable-${process.pid}`);
  try {
    const file = openSync(path, 'w', 0o600);
    try {
      writeFileSync(file, Buffer.alloc(probeBytes));
    } finally {
      closeSync(file);
      rmSync(path, { force: true });
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

function freeBytes(home: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(home);
    return bavail * bsize;
  } catch {
    // Nobody can tell; that it can be written was just seen.
    return null;
  }
}
