/** Goal: a live view shows the newest lines of the lane that works now, each once, of no other. */
import { expect, test } from 'vitest';
import { exampleDefinition, exampleView, execution } from '../../test/support/example-run.ts';
import { scriptedClient } from '../../test/support/scripted-client.ts';
import { scriptedIo } from '../../test/support/scripted-io.ts';
import type { Client, RunView } from '../ports/client.ts';
import { noStory } from '../ports/story.ts';
import type { Context } from './command.ts';
import { laneTail } from './lane-tail.ts';

type Lines = Awaited<ReturnType<Client['log']>>['lines'];

function rig() {
  const io = scriptedIo();
  const lines = new Map<string, string[]>();
  let kind = 'stdout';
  const client: Client = {
    ...scriptedClient(),
    log: async (id, after) => {
      const all = (lines.get(id) ?? []).map((text, i) => ({
        seq: i + 1,
        at: 1,
        kind,
        text,
      }));
      return { lines: all.filter(({ seq }) => seq > after) as unknown as Lines, ended: false };
    },
  };
  const tail = laneTail({ io } as unknown as Context, client);
  const print = (n: number, ...texts: readonly string[]): void => {
    lines.set(execution(n), [...(lines.get(execution(n)) ?? []), ...texts]);
  };
  const look = (change: Partial<RunView> = {}) => {
    io.advance(1_000);
    return tail({ view: exampleView(change), definition: exampleDefinition(), story: noStory });
  };
  const prints = (of: string): void => {
    kind = of;
  };
  return { io, tail, print, prints, look };
}

test('the newest three are shown; fresh ones are told once', async () => {
  const { print, look } = rig();
  print(3, 'one\ntwo\n', 'three\n\u001b[31mfour\u001b[0m\n');
  expect(await look()).toEqual({
    newest: ['two', 'three', 'four'],
    fresh: ['one', 'two', 'three', 'four'],
  });
  expect(await look()).toEqual({ newest: ['two', 'three', 'four'], fresh: [] });
});

test('a line that is not whole yet is shown, and told when it is', async () => {
  const { print, look } = rig();
  print(3, 'whole\nhal');
  expect(await look()).toEqual({ newest: ['whole', 'hal'], fresh: ['whole'] });
  print(3, 'f\n');
  expect(await look()).toEqual({ newest: ['whole', 'half'], fresh: ['half'] });
});

test('another execution begins anew, and where no lane works there is nothing', async () => {
  const { print, look } = rig();
  print(3, 'old\n');
  await look();
  const next = exampleView().execution;
  print(4, 'new\n');
  const execution4 = next === null ? null : { ...next, id: execution(4) };
  expect((await look({ execution: execution4 })).newest).toEqual(['new']);
  expect(await look({ phase: 'verifying' })).toEqual({ newest: [], fresh: [] });
});

test.each([
  ['terminal', 'screen'],
  ['protocol', 'said'],
])('of a lane that prints a %s its words are shown, never its bytes (RR-14)', async (bytes, of) => {
  const { print, prints, look } = rig();
  prints(bytes);
  print(3, '\u001b[2J| working (1s)\n');
  expect(await look()).toEqual({ newest: [], fresh: [] });
  prints(of);
  print(3, 'read the file\nwrote the test');
  expect(await look()).toMatchObject({ newest: ['read the file', 'wrote the test'] });
});
