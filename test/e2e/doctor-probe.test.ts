/**
 * Goal: `doctor --probe` tries what is installed against the server that comes with the program,
 * keeps what it saw, and leaves nothing behind. Method: a program by the name of a known agent that
 * is none.
 */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Pawl, pawl } from '../support/pawl.ts';

let it: Pawl;
beforeEach(() => {
  it = pawl();
});
afterEach(() => it.close());

/** The environment with a `claude` that tells a version, and does `work` when it is to work. */
function installed(version: string, work: string): Readonly<Record<string, string>> {
  const bin = join(it.root, 'bin');
  const temporary = join(it.root, 'temporary');
  for (const folder of [bin, temporary]) mkdirSync(folder, { recursive: true });
  const script = `#!/bin/sh\n[ "$1" = --version ] && echo ${version} && exit\n${work}\n`;
  writeFileSync(join(bin, 'claude'), script, { mode: 0o755 });
  return { PATH: `${bin}:${it.env['PATH'] ?? ''}`, TMPDIR: temporary };
}

interface Check {
  readonly id: string;
  readonly state: string;
  readonly detail: string;
  readonly facts: { readonly probed: unknown };
}

function claude(json: Readonly<Record<string, unknown>>): Check {
  const checks = json['checks'] as readonly Check[];
  return checks.find(({ id }) => id === 'agents.claude') as Check;
}

test('a program that is no agent fails its probe, and nothing of it stays', async () => {
  const env = installed('2.1.1', 'echo no agent; tail -f /dev/null & exit 3');
  const probed = await it.run(['doctor', '--probe', 'claude'], { env });
  expect(probed.exit).toBe(1);
  expect(probed.stderr).toContain('against a scripted server on this machine: it costs nothing');
  expect(probed.stdout).toMatch(/claude +2\.1\.1 .* failed today/);
  expect(it.processes()).toEqual([]);
  expect(readdirSync(join(it.root, 'temporary'))).toEqual([]);

  const kept = claude((await it.run(['doctor', '--json'], { env })).json());
  expect(kept).toMatchObject({ state: 'fail', facts: { probed: { version: '2.1.1', ok: false } } });
  const newer = installed('2.1.2', 'exit 3');
  const stale = claude((await it.run(['doctor', '--json'], { env: newer })).json());
  expect(stale.state).not.toBe('fail');
  expect(stale.detail).toContain('of 2.1.1: stale');
});
