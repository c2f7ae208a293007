import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { pathPrograms } from './programs.ts';
import type { Surroundings } from './surroundings.ts';

const root = mkdtempSync(join(tmpdir(), 'pawl-programs-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const env = { PATH: `${root}:/usr/bin:/bin` };
const programs = pathPrograms({ env, temporary: root } as unknown as Surroundings);

test.each([
  ['says', 'echo 1.2.3; echo more; echo noise >&2', '1.2.3'],
  ['says-as-an-error', 'echo 0.73.1 >&2', '0.73.1'],
  ['says-nothing', 'true', ''],
  ['fails', 'echo 1.2.3; exit 3', null],
])('the version of a program that %s', async (name, script, line) => {
  const file = join(root, name);
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  expect(await programs.version(name)).toBe(line);
});

test('a program that is not there has none', async () => {
  expect(await programs.version('no-such-program-of-pawl')).toBeNull();
});

test('a file that may not be run is no program, and is found as that', async () => {
  writeFileSync(join(root, 'unmarked'), '#!/bin/sh\n', { mode: 0o644 });
  expect(await programs.find('unmarked')).toBeNull();
  expect(await programs.blocked?.('unmarked')).toBe(join(root, 'unmarked'));
  expect(await programs.blocked?.('no-such-program-of-pawl')).toBeNull();
});

test('a program is found at its absolute path, and along another PATH that is given', async () => {
  const [there, aside] = [join(root, 'there'), join(root, 'aside')];
  mkdirSync(aside);
  writeFileSync(there, '#!/bin/sh\n', { mode: 0o755 });
  writeFileSync(join(aside, 'apart'), '#!/bin/sh\n', { mode: 0o755 });
  writeFileSync(join(aside, 'unmarked'), '#!/bin/sh\n', { mode: 0o644 });
  expect(await programs.find(there, '')).toBe(there);
  expect(await programs.find(join(aside, 'unmarked'))).toBeNull();
  expect(await programs.blocked?.(join(aside, 'unmarked'))).toBe(join(aside, 'unmarked'));
  expect(await programs.blocked?.(aside)).toBeNull();
  expect(await programs.find('apart')).toBeNull();
  expect(await programs.find('apart', `/nowhere:${aside}`)).toBe(join(aside, 'apart'));
  expect(await programs.find('there', aside)).toBeNull();
  expect(await programs.blocked?.('unmarked', aside)).toBe(join(aside, 'unmarked'));
});
