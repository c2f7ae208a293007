/**
 * Goal: what a cancelled run had not recorded is kept and named, also where its lane host died over
 * it (L-C9, UX 2.4); `cancel --now` ends a lane that ignores every request to end, children in a
 * session of their own included, and what was recorded stays on the branch (L-B11, UX 2.1).
 * Method: a real lane that notes each SIGTERM; with `--now` it is never asked.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Pawl, pawl } from '../support/pawl.ts';
import { signal, until } from '../support/processes.ts';
import { r0Plain } from '../support/repositories.ts';

let it: Pawl;
beforeEach(() => {
  it = pawl();
});
afterEach(async () => {
  await it.close();
});

test('a lane that ignores SIGTERM is not asked first; nothing of its tree is left', async () => {
  const { root } = r0Plain(it.root);
  const [ready, asked] = [join(it.root, 'ready'), join(it.root, 'asked')];
  const agent = join(it.root, 'agent.sh');
  const stay = `trap 'echo asked >> ${asked}' TERM; trap '' HUP INT`;
  const child = `setsid sh -c "trap '' TERM HUP; sleep 301; : $0" &`;
  const loop = `echo half > half.txt; touch ${ready}; while :; do sleep 0.05; done`;
  writeFileSync(agent, `#!/bin/sh\n${stay}\n${child}\n${loop}\n`, { mode: 0o755 });
  const args = ['run', 'add', '--check', 'node --test', '--agent-cmd', agent, '--detach'];
  expect((await it.run(args, { cwd: root })).exit).toBe(0);
  expect(await until(() => existsSync(ready), 60_000)).toBe(true);
  const cancel = await it.run(['cancel', '@last', '--now', '--json'], { cwd: root });
  expect(cancel.exit).toBe(0);
  const ended = await it.run(['wait', '@last', '--json'], { cwd: root });
  expect(ended.json()).toMatchObject({ runs: [{ status: 'cancelled', unproven: [] }] });
  expect(existsSync(asked) ? readFileSync(asked, 'utf8') : 'never').toBe('never');
  expect(it.processes().filter(({ command }) => command.includes(agent))).toEqual([]);
}, 120_000);

test('the work of a lane whose host was killed is kept when its run is cancelled (L-C9)', async () => {
  const { root } = r0Plain(it.root);
  const ready = join(it.root, 'ready');
  const script = `echo half > half.txt; touch ${ready}; exec sleep 301`;
  const agent = join(it.root, 'agent.sh');
  writeFileSync(agent, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const args = ['run', 'add', '--check', 'node --test', '--agent-cmd', agent, '--detach'];
  expect((await it.run(args, { cwd: root })).exit).toBe(0);
  expect(await until(() => existsSync(ready), 60_000)).toBe(true);
  const host = it.processes().find(({ command }) => command.includes('lane-host.js'));
  if (host === undefined) throw new Error('no lane host');
  signal(host, 'SIGKILL');
  expect((await it.run(['cancel', '@last'], { cwd: root })).exit).toBe(0);
  expect((await it.run(['wait', '@last'], { cwd: root })).exit).toBe(1);
  const git = (...line: readonly string[]) =>
    execFileSync('git', line, { cwd: root, encoding: 'utf8' }).trim();
  const kept = () => git('for-each-ref', '--format=%(refname)', 'refs/pawl/lost');
  expect(await until(() => kept() !== '', 60_000)).toBe(true);
  expect(git('show', `${kept()}:half.txt`)).toBe('half');
  expect((await it.run(['show', '@last'], { cwd: root })).stdout).toContain(kept());
}, 180_000);
