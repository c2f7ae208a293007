/**
 * Goal: the scripts that `pawl completion` prints complete verbs, flags, values and runs.
 * Method: the script is loaded into the shell, over a stand-in for the program that knows two runs;
 * what the shell would offer is printed. A shell that is not installed is left out.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { commandRows } from '../../src/cli/commands.ts';
import { topics } from '../../src/cli/topics.ts';
import { exampleView } from '../support/example-run.ts';
import { typed } from '../support/scripted-cli.ts';
import { scriptedClient } from '../support/scripted-client.ts';

const shells = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof shells)[number];
const isThere = (shell: Shell): boolean => spawnSync(shell, ['--version']).status === 0;

let folder = '';
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-completion-'));
  const program = join(folder, 'pawl');
  writeFileSync(
    program,
    '#!/bin/sh\n[ "$*" = "completion runs" ] && printf \'7k2m\\tfix-date-parsing, executing\\nfix-date-parsing\\t7k2m\\n\'\n',
  );
  chmodSync(program, 0o755);
  for (const shell of shells) {
    writeFileSync(join(folder, `script.${shell}`), (await typed(['completion', shell])).out);
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

/** What the shell is told to do, so that it prints what it would offer for the words. */
const askers: Readonly<Record<Shell, (words: readonly string[]) => readonly string[]>> = {
  bash: (words) => [
    '--norc',
    '-c',
    `source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _pawl; printf '%s\\n' "\${COMPREPLY[@]}"`,
    join(folder, 'script.bash'),
    ...words,
  ],
  zsh: (words) => [
    '-f',
    '-c',
    `compdef() { : }
_files() { print -- @files $* }
_describe() { print -l -- \${(P)2} }
compadd() { shift; print -l -- $* }
source "$0"; words=("$@"); CURRENT=$#; _pawl`,
    join(folder, 'script.zsh'),
    ...words,
  ],
  fish: (words) => [
    '--no-config',
    '-c',
    `source $argv[1]; complete -C "$argv[2]"`,
    join(folder, 'script.fish'),
    words.join(' '),
  ],
};

/** The words alone, without what they are told with. */
function offered(shell: Shell, ...words: readonly string[]): readonly string[] {
  const run = spawnSync(shell, [...askers[shell](['pawl', ...words])], {
    encoding: 'utf8',
    cwd: folder,
    env: {
      ...process.env,
      PATH: `${folder}${delimiter}${process.env['PATH'] ?? ''}`,
      HOME: folder,
    },
  });
  expect(run.stderr).toBe('');
  const lines = run.stdout.split('\n').filter((line) => line !== '');
  return lines.map((line) => line.split(/[\t:]/)[0] ?? '').sort();
}

describe.each(shells.filter(isThere))('%s', (shell) => {
  const current = (words: readonly string[], prefix: string): readonly string[] =>
    words.filter((word) => word.startsWith(prefix)).sort();

  test('verbs, of one word and of two', () => {
    const firsts = [...new Set(commandRows.map(({ name }) => name.split(' ')[0] ?? ''))];
    expect(current(offered(shell, 's'), 's')).toEqual(current(firsts, 's'));
    expect(current(offered(shell, 'config', ''), '')).toEqual(['check', 'path', 'schema', 'show']);
    expect(offered(shell, 'service', '')).toContain('uninstall');
    expect(offered(shell, 'operator', '')).toEqual(['list', 'revoke', 'token']);
    expect(offered(shell, 'help', '')).toEqual([...topics.keys()].sort());
  });

  test('flags of the verb that was typed, and those of every verb', () => {
    const run = offered(shell, 'run', '--');
    expect(run).toEqual(expect.arrayContaining(['--check', '--attempts', '--json']));
    expect(run).not.toContain('--plan');
    expect(offered(shell, 'config', 'show', '--o')).toContain('--origin');
    expect(offered(shell, 'status', '--')).not.toContain('--check');
    expect(offered(shell, 'ls', '--')).toContain('--cost');
  });

  test('values of a flag, and nothing where nobody can guess', () => {
    expect(offered(shell, 'run', '--baseline', '')).toEqual(['auto', 'green-ok', 'skip']);
    expect(offered(shell, '--color', '')).toEqual(['always', 'auto', 'never']);
    expect(offered(shell, 'run', '--attempts', '')).not.toContain('7k2m');
  });

  test('runs of the store, by id and by name; a flag before the verb changes nothing', () => {
    expect(offered(shell, 'show', '')).toEqual(
      expect.arrayContaining(['7k2m', 'fix-date-parsing']),
    );
    expect(offered(shell, '--json', 'wait', '7k2m', '')).toContain('fix-date-parsing');
    expect(offered(shell, '-C', '/tmp', 'land', '')).toContain('7k2m');
    expect(offered(shell, 'status', '')).not.toContain('7k2m');
  });
});

test('bash is there, so that at least one script is run', () => {
  expect(isThere('bash')).toBe(true);
});

test('runs are read from the store, without a driver; where there is no store none is made', async () => {
  writeFileSync(join(folder, 'store.db'), '');
  const views = [exampleView(), exampleView({ id: '9xxx' as never, short: '9xxx' })];
  const client = scriptedClient(views);
  const { exit, out } = await typed(['completion', 'runs'], { client, home: folder });
  expect({ exit, out }).toEqual({
    exit: 0,
    out: views.map(({ short, name }) => `${short}\t${name}, executing\n`).join(''),
  });
  expect(client.calls.map(({ verb }) => verb)).toEqual(['close']);
  const none = scriptedClient();
  expect((await typed(['completion', 'runs'], { client: none })).out).toBe('');
  expect(none.calls).toEqual([]);
});

test('another shell is refused with those that there are', async () => {
  const { exit, err } = await typed(['completion', 'powershell']);
  expect(exit).toBe(2);
  expect(err).toContain('allowed      bash, zsh, fish, runs');
});
