/**
 * Goal: a disk without space stops nobody for good. Status says so while it lasts, no attempt is
 * spent, and the run goes on by itself when there is room. Needs a small file system of its own.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Pawl, pawl } from '../support/pawl.ts';
import { until } from '../support/processes.ts';
import { r0Plain } from '../support/repositories.ts';

vi.setConfig({ testTimeout: 120_000 });

let it: Pawl;
let mounted: string[] = [];
beforeEach(() => {
  it = pawl();
});
afterEach(async () => {
  for (const folder of mounted) rmSync(join(folder, 'fill'), { force: true });
  // Lazily: the driver may still have its log open there; `close` ends it.
  for (const folder of mounted) spawnSync('umount', ['-l', folder]);
  mounted = [];
  await it.close();
});

const isRoot = process.platform === 'linux' && process.getuid?.() === 0;

/** False where even root may not mount (a container without the capability). */
function mount(folder: string): boolean {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const made = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64m,mode=700', 'tmpfs', folder]);
  if (made.status === 0) mounted.push(folder);
  return made.status === 0;
}

const fill = (folder: string): string => `dd if=/dev/zero of='${folder}/fill' bs=64k 2>/dev/null`;
const repaired = 'export const add = (a, b) => a + b;';

test.runIf(isRoot)(
  'the disk of the store: status names it first, then the run completes',
  async (context) => {
    if (!mount(it.home)) return context.skip();
    const { root } = r0Plain(it.root);
    const [ready, go] = [join(it.root, 'ready'), join(it.root, 'go')];
    const agent = join(it.root, 'agent.sh');
    const wait = `touch '${ready}'; while ! test -e '${go}'; do sleep 0.1; done`;
    writeFileSync(agent, `#!/bin/sh\n${wait}\necho '${repaired}' > src/add.mjs\n`, { mode: 0o755 });
    const args = ['run', 'add', '--check', 'node --test', '--agent-cmd', agent, '--detach'];
    expect((await it.run(args, { cwd: root })).exit).toBe(0);
    expect(await until(() => existsSync(ready), 60_000)).toBe(true);
    spawnSync('sh', ['-c', fill(it.home)]);
    const { stdout } = await it.run(['status']);
    const page = stdout.replace(/\s+/g, ' ');
    expect(page).toMatch(/^! store unwritable: no space left for .* pawl prune /);
    const json = (await it.run(['status', '--json'])).json();
    expect(json).toMatchObject({ trouble: [{ id: 'store.writable', state: 'fail' }] });
    writeFileSync(go, '');
    rmSync(join(it.home, 'fill'));
    const done = await it.run(['wait', '@last', '--json'], { cwd: root });
    expect(done.json()).toMatchObject({ runs: [{ status: 'complete', attempt: { n: 1 } }] });
  },
);

test.runIf(isRoot)(
  'the disk of the repository: the turn is recorded once there is room',
  async (context) => {
    const small = join(it.root, 'small');
    if (!mount(small)) return context.skip();
    const { root } = r0Plain(small);
    const agent = join(it.root, 'agent.sh');
    const script = `echo turn >> '${it.root}/turns'\necho '${repaired}' > src/add.mjs\n${fill(small)}\n`;
    writeFileSync(agent, `#!/bin/sh\n${script}exit 0\n`, { mode: 0o755 });
    const args = ['run', 'add', '--check', 'node --test', '--agent-cmd', agent, '--detach'];
    expect((await it.run(args, { cwd: root })).exit).toBe(0);
    const log = join(it.home, 'log', 'lane-host.log');
    const isTold = () => existsSync(log) && readFileSync(log, 'utf8').includes('no space left');
    expect(await until(isTold, 60_000)).toBe(true);
    rmSync(join(small, 'fill'));
    const done = await it.run(['wait', '@last', '--json'], { cwd: root });
    expect(done.json()).toMatchObject({ runs: [{ status: 'complete', attempt: { n: 1 } }] });
    expect(readFileSync(join(it.root, 'turns'), 'utf8')).toBe('turn\n');
  },
);
