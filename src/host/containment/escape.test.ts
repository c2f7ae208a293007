/**
 * Goal: a program that does all it can to escape — two forks, a session of its own, closed streams,
 * a cleaned environment — is ended on every rung that this machine offers, as root and as an
 * ordinary user, or the proof says that it could not be excluded.
 * Method: the host is a program of its own (so that it can be killed and run as another user); the
 * escapee is found afterwards by the unique path in its command line, which no environment hides.
 */
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ContainmentRecord, Proof } from '../../ports/processes.ts';
import { allProcesses, commandOf, isLiving } from '../process-table.ts';
import type { Rung } from './rung-lines.ts';
import { until } from './waiting.ts';

const escapee = `
use POSIX; my ($how, $file) = @ARGV; %ENV = ();
if ($how eq 'loop') { while (1) { open(my $h, '>>', $file); print $h 'x'; close $h; select(undef, undef, undef, 0.02) } }
if ($how eq 'hop') { open(my $h, '>>', $file); print $h 'x'; close $h;
  while (1) { my $p = fork; exit 0 if $p; select(undef, undef, undef, 0.001) } }
exit 0 if fork; POSIX::setsid(); exit 0 if fork;
POSIX::close($_) for (0 .. 20); chdir '/';
exec '/usr/bin/perl', $0, ($how eq 'hopper' ? 'hop' : 'loop'), $file;
`;

/** argv: state directory, spool, rung, file, how, end | stay | recorded. Prints one JSON line. */
const hostProgram = `
import { nodeProcesses } from '../processes.ts';
import { readFileSync } from 'node:fs';
const [state, spool, rung, file, how, then] = process.argv.slice(2);
const processes = nodeProcesses({ stateDirectory: state, forceRung: rung });
const say = (value) => process.stdout.write(JSON.stringify(value) + '\\n');
try {
  if (then === 'recorded') {
    const record = JSON.parse(readFileSync(file, 'utf8'));
    say({ proof: await processes.endRecorded(record, null) });
  } else {
    const child = await processes.spawn({
      argv: ['sh', '-c', 'perl "$0" "$1" "$2"; sleep 60', state + '/escapee.pl', how, file],
      cwd: '/', env: { PATH: process.env.PATH, PAWL_EXECUTION: 'test.' + process.pid },
      stdin: null, execution: 'test.' + process.pid, spool, onStdout() {}, onStderr() {},
    });
    say({ record: child.record });
    if (then === 'end') {
      process.stdin.once('data', async () => {
        say({ proof: await child.end(100) });
        process.exit(0);
      });
    }
  }
} catch (error) { say({ failed: String(error.message) }); process.exit(3); }
`;

let directory = '';
const users = process.getuid?.() === 0 ? (['root', 'user'] as const) : (['user'] as const);
/** No other process of the machine has this user, so a census of its processes is quiet. */
const userId = 40_000 + (process.pid % 20_000);

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'pawl-escape-'));
  chmodSync(directory, 0o777);
  await build({
    stdin: { contents: hostProgram, resolveDir: import.meta.dirname, loader: 'ts' },
    outfile: join(directory, 'host.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
  });
}, 60_000);
afterAll(() => {
  // Only a test that failed leaves any; they would write for ever.
  for (const pid of escaped(directory)) process.kill(pid, 'SIGKILL');
  rmSync(directory, { recursive: true, force: true });
});

interface Case {
  readonly state: string;
  readonly file: string;
  readonly say: (line: string) => void;
  readonly next: () => Promise<{ record?: ContainmentRecord; proof?: Proof; failed?: string }>;
  readonly kill: () => void;
}

function start(user: 'root' | 'user', rung: Rung, how: string, then: string): Case {
  const state = mkdtempSync(join(directory, 'case-'));
  chmodSync(state, 0o777);
  writeFileSync(join(state, 'escapee.pl'), escapee);
  return startIn(state, user, [rung, join(state, 'witness'), how, then]);
}

function startIn(state: string, user: 'root' | 'user', rest: readonly string[]): Case {
  const ids = [`--reuid=${userId}`, `--regid=${userId}`, '--clear-groups'];
  const become = user === 'user' && process.getuid?.() === 0 ? ['setpriv', ...ids] : [];
  const node = [process.execPath, join(directory, 'host.mjs'), state, join(state, 'spool')];
  const [program = '', ...args] = [...become, ...node, ...rest];
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'], cwd: '/' });
  let text = '';
  child.stdout.on('data', (bytes) => {
    text += String(bytes);
  });
  const next = async () => {
    await until(() => text.includes('\n') || child.exitCode !== null, 30_000);
    const end = text.indexOf('\n');
    const line = text.slice(0, end);
    text = text.slice(end + 1);
    return JSON.parse(line);
  };
  return {
    state,
    file: rest[1] ?? '',
    say: (line) => child.stdin.write(line),
    next,
    kill: () => child.kill('SIGKILL'),
  };
}

/** Of the tree; its host, which is told the file too, may still be on its way out. */
function escaped(file: string): readonly number[] {
  const isOfTree = (command: string) => command.includes(file) && !command.includes('/host.mjs ');
  const mine = allProcesses().filter((one) => isLiving(one) && isOfTree(commandOf(one.pid)));
  return mine.map((one) => one.pid);
}

async function isAtWork(run: Case): Promise<void> {
  expect(await until(() => existsSync(run.file) && readFileSync(run.file).length > 0, 10_000)).toBe(
    true,
  );
}

const kernelRungs: readonly Rung[] = ['pidns-unshare', 'pidns-bwrap', 'cgroup', 'guard'];

for (const user of users) {
  describe.each(kernelRungs)(`%s as ${user}`, (rung) => {
    test.each(['escapee', 'hopper'])(
      'ends an %s and proves it by the kernel',
      async (how) => {
        const run = start(user, rung, how, 'end');
        const said = await run.next();
        if (said.failed !== undefined) return expect(said.failed).toContain('does not offer');
        await isAtWork(run);
        run.say('end\n');
        const { proof } = await run.next();
        expect(proof).toMatchObject({ strength: 'kernel', gaps: [] });
        expect(escaped(run.file)).toEqual([]);
      },
      60_000,
    );

    test('ends an escapee whose host was killed -9, from the record alone (L-D23)', async () => {
      const run = start(user, rung, 'escapee', 'stay');
      const said = await run.next();
      if (said.failed !== undefined) return expect(said.failed).toContain('does not offer');
      await isAtWork(run);
      run.kill();
      const path = join(run.state, 'record.json');
      writeFileSync(path, JSON.stringify(said.record));
      const sweep = startIn(run.state, user, [rung, path, 'none', 'recorded']);
      expect((await sweep.next()).proof).toMatchObject({ strength: 'kernel' });
      expect(escaped(run.file)).toEqual([]);
    }, 60_000);
  });

  test(`marker as ${user}: what it cannot end it does not call ended`, async () => {
    const run = start(user, 'marker', 'escapee', 'end');
    await run.next();
    await isAtWork(run);
    run.say('end\n');
    const { proof } = await run.next();
    const left = escaped(run.file);
    for (const pid of left) process.kill(pid, 'SIGKILL');
    expect(left).toHaveLength(1);
    expect(proof?.strength).toBe('unproven');
    expect(proof?.gaps.join('\n')).toContain(`pid ${left[0]} is an orphan younger than the tree`);
  }, 60_000);
}

test('marker as user: a tree that hides nothing is proven by marker and tree', async () => {
  const run = start('user', 'marker', 'none-of-them', 'end');
  writeFileSync(join(run.state, 'escapee.pl'), 'open(my $h, ">", $ARGV[1]); print $h "x";');
  await run.next();
  await isAtWork(run);
  run.say('end\n');
  expect(
    (await run.next()).proof?.gaps.filter((gap) => !gap.includes('processes started')),
  ).toEqual([]);
}, 60_000);
