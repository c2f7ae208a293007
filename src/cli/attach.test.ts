/**
 * Goal: attach shows what the lane prints and how it is, passes nothing on to it, and leaves the
 * run alone however it is left (UX 2.1, 2.4).
 */
import { expect, test } from 'vitest';
import { exampleCall } from '../../test/support/example-call.ts';
import { at, exampleView, execution } from '../../test/support/example-run.ts';
import { typed } from '../../test/support/scripted-cli.ts';
import { type ScriptedClient, scriptedClient } from '../../test/support/scripted-client.ts';
import { type ScriptedIoOptions, scriptedIo } from '../../test/support/scripted-io.ts';
import type { Client, RunView } from '../ports/client.ts';

const keyOfLeaving = '\u001d';
const signals = (state: string, reason: string | null = null) =>
  JSON.stringify({ state, reason, since: at(0) });

/** A lane that prints what the test says, each chunk once. */
function rig(options: ScriptedIoOptions = {}) {
  const io = scriptedIo({ isTerminal: true, now: at(60), ...options });
  const scripted = scriptedClient([exampleView()]);
  const chunks = new Map<string, string[]>();
  const ended = new Set<string>();
  const client: ScriptedClient = {
    ...scripted,
    log: async (id, after) => {
      const lines = (chunks.get(id) ?? []).map((text, i) => ({
        ...{ seq: i + 1, at: at(i), kind: 'stdout', text },
      }));
      return { lines: lines.filter(({ seq }) => seq > after), ended: ended.has(id) };
    },
  } satisfies Client;
  const works = (n: number, change: Partial<RunView>): void => {
    const { execution: open } = exampleView();
    if (open === null) throw new Error('the example has no execution');
    scripted.change({ execution: { ...open, id: execution(n), ...change.execution }, ...change });
  };
  const dispatch = (n: number, attempt: number): void =>
    scripted.emit(at(n), {
      ...{ type: 'job.dispatched', execution: execution(n), attempt },
      point: { job: 'execute' },
    } as unknown as Parameters<ScriptedClient['emit']>[1]);
  const print = (n: number, text: string): void => {
    chunks.set(execution(n), [...(chunks.get(execution(n)) ?? []), text]);
  };
  const is = (state: string, reason: string | null = null): void => {
    const { execution: open } = scripted.view();
    if (open === null) throw new Error('the example has no execution');
    scripted.change({ execution: { ...open, signals: signals(state, reason) } });
  };
  dispatch(3, 2);
  return {
    ...{ io, client, works, dispatch, print, is },
    ends: (n: number) => ended.add(execution(n)),
    attach: (line: readonly string[] = ['attach', '7k2m']) => typed(line, { client, io }),
  };
}

test('the newest lines come first, as many as the terminal has rows; then what follows', async () => {
  const { attach, io, print } = rig({ rows: 6 });
  print(3, Array.from({ length: 9 }, (_, n) => `line ${n + 1}\n`).join(''));
  io.onSleep((sleeps) => {
    if (sleeps === 1) print(3, 'line 10 \u001b[31mred\u001b[0m\n');
    if (sleeps === 3) io.press(keyOfLeaving);
  });
  const { exit, out } = await attach();
  expect(exit).toBe(0);
  expect(out.split('\n')).toEqual([
    '── fix-date-parsing 7k2m · attempt 2 · read-only · Ctrl-] leaves, the run goes on',
    ...['line 7', 'line 8', 'line 9'],
    expect.stringMatching(/^── executing · /),
    'line 10 red',
    '── detached · pawl attach 7k2m',
    '',
  ]);
});

test('what can be said of the lane is told once, when it changes', async () => {
  const { attach, io, is } = rig();
  is('working_local');
  io.onSleep((sleeps) => {
    if (sleeps === 2) is('quiet');
    if (sleeps === 6) is('stalled', 'frozen');
    if (sleeps === 9) io.press(keyOfLeaving);
  });
  const { out } = await attach();
  expect(out.split('\n').slice(1, -2)).toEqual([
    expect.stringMatching(/^── executing · working/),
    expect.stringMatching(/^── executing · quiet/),
    expect.stringMatching(/^── executing · stalled .*every process of it is stopped/),
  ]);
});

test('the next lane is followed, and the end of the run is told', async () => {
  const { attach, io, client, dispatch, ends, print, works } = rig();
  print(3, 'first lane\n');
  io.onSleep((sleeps) => {
    if (sleeps === 1) {
      ends(3);
      dispatch(4, 3);
      works(4, {});
      print(4, 'second lane\n');
    }
    if (sleeps === 4) {
      ends(4);
      client.change({ status: 'complete', phase: null, execution: null, verification: 'passed' });
    }
  });
  const { exit, out } = await attach();
  expect(exit).toBe(0);
  expect(out).toMatch(
    /first lane\n(?:── .*\n)*── attempt 3 · another lane\n(?:── .*\n)*second lane\n/,
  );
  expect(out).toMatch(/── the run is complete · pawl show 7k2m\n$/);
});

test.each(['\u0003', 'SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  'left by %j it ends nothing, and typing reaches nobody',
  async (how) => {
    const { attach, io, client } = rig();
    io.onSleep((sleeps) => {
      if (sleeps === 1) for (const key of 'rm\n') io.press(key);
      if (sleeps !== 2) return;
      if (how === '\u0003') io.press(how);
      else io.signal(how);
    });
    const { exit, out } = await attach();
    expect(exit).toBe(0);
    expect(out.match(/nothing typed here reaches the lane/g)).toHaveLength(1);
    expect(client.calls.filter(({ verb }) => verb !== 'close')).toEqual([]);
  },
);

test('in a pipe there are no keys, and a reader that goes away ends it', async () => {
  const { attach, io, print } = rig({ isTerminal: false });
  io.onSleep((sleeps) => {
    print(3, `line ${sleeps}\n`);
    if (sleeps === 3) io.closeStdout();
  });
  const { exit, out } = await attach();
  expect(exit).toBe(0);
  expect(out).toContain('Ctrl-C leaves');
  expect(out).toContain('line 2\n');
});

test('a lane that waits for leave lives: it can be looked at, and the answer goes on from there', async () => {
  const { attach, io, client, print } = rig();
  const gate = exampleCall('7k2mab34cd56.a1');
  client.change({ status: 'waiting_human', phase: null, gate });
  print(3, 'may I push?\n');
  io.onSleep((sleeps) => {
    if (sleeps === 2) client.change({ status: 'active', phase: 'executing', gate: null });
    if (sleeps === 3) print(3, 'pushed\n');
    if (sleeps === 5) io.press(keyOfLeaving);
  });
  const { exit, out } = await attach();
  expect(exit).toBe(0);
  expect(out.split('\n').slice(1, -2)).toEqual([
    'may I push?',
    expect.stringMatching(/^── waiting for approval of a call · /),
    expect.stringMatching(/^── executing · /),
    'pushed',
  ]);
});

test('a run of which no lane lives is refused, with what there is to read', async () => {
  const { attach, client } = rig();
  client.change({ status: 'paused', phase: null, execution: null });
  const { exit, err } = await attach();
  expect(exit).toBe(2);
  expect(err).toMatch(/^error\[wrong_verb\]: 7k2m is paused: no lane of it lives/);
  expect(err).toMatch(/\n {2}next {9}pawl logs 7k2m\n/);
});

test('there is no JSON of a terminal', async () => {
  const { attach } = rig();
  const { exit, out } = await attach(['attach', '7k2m', '--json']);
  expect(exit).toBe(2);
  expect(JSON.parse(out).error).toMatchObject({
    code: 'not_supported',
    next: 'pawl logs 7k2m -f --json',
  });
});
