/**
 * Goal: a program in a terminal of ours is seen whole and ends as itself.
 * Method: the built runner over real programs, without a lane around it.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../../../test/support/processes.ts';
import { builtRunner } from '../../../test/support/terminal-runner.ts';
import { RequestError } from '../../kernel/errors.ts';
import { noTerminals, terminalRunner } from './runner-line.ts';

const size = { columns: 120, rows: 40 };
let runner: Awaited<ReturnType<typeof builtRunner>>;
const started: ChildProcess[] = [];
beforeAll(async () => {
  runner = await builtRunner();
}, 60_000);
afterAll(() => {
  for (const child of started) child.kill('SIGKILL');
  runner.remove();
});

function start(...argv: readonly string[]) {
  const [program = '', ...args] = terminalRunner(runner.program)(size, argv);
  const child = spawn(program, args, {
    env: { PATH: process.env['PATH'], TERM: 'xterm-256color' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  started.push(child);
  let printed = '';
  child.stdout.setEncoding('latin1').on('data', (text: string) => {
    printed += text;
  });
  const ended = new Promise<readonly [number | null, string | null]>((resolve) => {
    child.once('close', (exit, signal) => resolve([exit, signal]));
  });
  return {
    child,
    ended,
    printed: () => printed,
    seen: (text: string) => until(() => printed.includes(text), 20_000),
  };
}

describe('a program in a terminal (RR-14)', () => {
  test('has one of its size, leads a session, and exits as itself', async () => {
    const { ended, printed } = start('sh', '-c', 'test -t 0 && stty size; echo "$TERM"; exit 7');
    expect(await ended).toEqual([7, null]);
    expect(printed()).toBe('40 120\r\nxterm-256color\r\n');
  });

  test('that is killed is told as killed', async () => {
    expect(await start('sh', '-c', 'kill -9 $$').ended).toEqual([null, 'SIGKILL']);
    expect(await start('sh', '-c', 'kill -TERM $$').ended).toEqual([null, 'SIGTERM']);
  });

  test('is read to its last byte, however much it printed before it ended', async () => {
    for (let time = 0; time < 3; time += 1) {
      const { ended, printed } = start('sh', '-c', 'seq 1 40000; printf END');
      await ended;
      expect(printed().length).toBe(268_894 + 3);
      expect(printed().endsWith('END')).toBe(true);
    }
  });

  test('takes what is written to the runner as typed, and its signals', async () => {
    const { child, ended, seen } = start(
      ...['sh', '-c', 'trap "echo asked; exit 5" TERM; echo up; read a; echo "got $a"; read b'],
    );
    await seen('up');
    child.stdin?.write('keys\r');
    expect(await seen('got keys')).toBe(true);
    child.kill('SIGTERM');
    expect(await ended).toEqual([5, null]);
  });

  test('is hung up on when the runner is closed, and killed when it stays', async () => {
    const leaves = start('sh', '-c', 'trap "exit 6" HUP; echo up; while :; do sleep 0.1; done');
    await leaves.seen('up');
    leaves.child.stdin?.end();
    expect(await leaves.ended).toEqual([6, null]);
    const stays = start('sh', '-c', 'trap "" HUP; echo up; while :; do sleep 0.1; done');
    await stays.seen('up');
    stays.child.stdin?.end();
    expect(await stays.ended).toEqual([null, 'SIGKILL']);
  });
});

describe('where no terminal can be opened', () => {
  test('the driver is named, with what to do, before anything is spawned', () => {
    const fails = terminalRunner('/runner.js', () => {
      throw new Error('no binary for sunos-sparc\nThis can happen if …');
    });
    for (const runs of [fails, noTerminals]) {
      expect(() => runs(size, ['top'])).toThrow(RequestError);
      expect(() => runs(size, ['top'])).toThrow('the driver pty cannot open a terminal here');
    }
  });
});
