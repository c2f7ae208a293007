/**
 * Goal: a disk without space stops nobody for good. Status says so while it lasts, no attempt is
 * spent, and the run goes on by itself when there is room. Needs a small file system of its own.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Pawl, pawl } from '../support/pawl.ts';
import { until } from '../support/processes.ts';
import { r0Plain } from '../support/repositories.ts';
import {
  empty,
  fill,
  filling,
  isRoot,
  mount as mountSmall,
  unmount,
} from '../support/small-disk.ts';

vi.setConfig({ testTimeout: 120_000 });

let it: Pawl;
let mounted: string[] = [];
beforeEach(() => {
  it = pawl();
});
afterEach(async () => {
  for (const folder of mounted) unmount(folder);
  mounted = [];
  await it.close();
});

function mount(folder: string): boolean {
  const isMounted = mountSmall(folder);
  if (isMounted) mounted.push(folder);
  return isMounted;
}

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
    fill(it.home);
    const { stdout } = await it.run(['status']);
    const page = stdout.replace(/\s+/g, ' ');
    expect(page).toMatch(/^! store unwritable: no space left for .* pawl prune /);
    const json = (await it.run(['status', '--json'])).json();
    expect(json).toMatchObject({ trouble: [{ id: 'store.writable', state: 'fail' }] });
    writeFileSync(go, '');
    empty(it.home);
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
    const script = `echo turn >> '${it.root}/turns'\necho '${repaired}' > src/add.mjs\n${filling(small)}\n`;
    writeFileSync(agent, `#!/bin/sh\n${script}exit 0\n`, { mode: 0o755 });
    const args = ['run', 'add', '--check', 'node --test', '--agent-cmd', agent, '--detach'];
    expect((await it.run(args, { cwd: root })).exit).toBe(0);
    const log = join(it.home, 'log', 'lane-host.log');
    const isTold = () => existsSync(log) && readFileSync(log, 'utf8').includes('no space left');
    expect(await until(isTold, 60_000)).toBe(true);
    empty(small);
    const done = await it.run(['wait', '@last', '--json'], { cwd: root });
    expect(done.json()).toMatchObject({ runs: [{ status: 'complete', attempt: { n: 1 } }] });
    expect(readFileSync(join(it.root, 'turns'), 'utf8')).toBe('turn\n');
  },
);
