import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { until } from './containment/waiting.ts';
import { bootId, holderLives, holderStopped, startOf } from './identity.ts';
import { hasProc } from './process-table.ts';

test.runIf(hasProc)('a process that was stopped lives and is told as stopped (RR-13)', async () => {
  const child = spawn('sleep', ['60'], { stdio: 'ignore' });
  await once(child, 'spawn');
  const pid = child.pid ?? 0;
  const holder = { bootId: bootId(), pid, started: startOf(pid) ?? 0 };
  const seen = () => [holderLives(holder), holderStopped(holder)];
  try {
    expect(seen()).toEqual([true, false]);
    child.kill('SIGSTOP');
    await until(() => holderStopped(holder), 5_000);
    expect(seen()).toEqual([true, true]);
    expect(holderStopped({ ...holder, bootId: 'another' })).toBe(false);
    expect(holderStopped({ ...holder, started: holder.started + 1 })).toBe(false);
    child.kill('SIGCONT');
    await until(() => !holderStopped(holder), 5_000);
  } finally {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  expect(seen()).toEqual([false, false]);
});
