/**
 * Goal: `pawl status` tells the truth about a lane within one window, whatever the lane does: it
 * says nothing, it is stopped, it computes in silence. Method: one real command lane, a
 * shell that does what it reads from a file of the test; its processes are stopped by signal.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Pawl, pawl } from '../support/pawl.ts';
import { signal, until } from '../support/processes.ts';
import { r0Plain } from '../support/repositories.ts';

interface Told {
  readonly state: string;
  readonly reason: string | null;
}

/** Polls until the lane is told so; the newest telling when it never is. */
async function told(own: Pawl, cwd: string, state: string): Promise<Told | null> {
  const end = performance.now() + 60_000;
  let newest: Told | null = null;
  while (newest?.state !== state && performance.now() < end) {
    const page = (await own.run(['status', '--json'], { cwd })).json();
    const [run] = page['running'] as readonly { readonly liveness: Told | null }[];
    newest = run?.liveness ?? null;
  }
  return newest;
}

test('a lane is told quiet, frozen and at work as it is (RR-6, RR-14, RR-15, L-D12)', async () => {
  const own = pawl();
  try {
    const { root } = r0Plain(own.root);
    const order = join(own.root, 'order');
    const agent = `until [ -e ${order} ]; do sleep 0.2; done; while :; do :; done`;
    const options = { cwd: root };
    const run = ['run', 'Wait', '--name', 'one', '--agent-cmd', `sh -c '${agent}'`];
    const started = await own.run([...run, '--check', 'test -f answer', '--detach'], options);
    expect(started.exit, started.stderr).toBe(0);
    expect(await told(own, root, 'quiet')).toMatchObject({ state: 'quiet', reason: null });

    const lane = own.processes().filter(({ command }) => command.startsWith('sh -c until'));
    const toEach = (name: 'SIGSTOP' | 'SIGCONT') => {
      for (const one of lane) signal(one, name);
    };
    expect(lane.length).toBeGreaterThan(0);
    toEach('SIGSTOP');
    expect(await told(own, root, 'stalled')).toMatchObject({ state: 'stalled', reason: 'frozen' });
    const page = (await own.run(['show', 'one'], options)).stdout;
    expect(page).toMatch(/executing · stalled \d+s: every process of it is stopped/);
    writeFileSync(order, '');
    toEach('SIGCONT');
    expect(await told(own, root, 'working_local')).toMatchObject({ state: 'working_local' });

    expect((await own.run(['cancel', 'one', '--yes'], options)).exit).toBe(0);
    const isOver = () => !own.processes().some(({ command }) => /lane-host|sh -c/.test(command));
    expect(await until(isOver, 60_000)).toBe(true);
  } finally {
    await own.close();
  }
});
