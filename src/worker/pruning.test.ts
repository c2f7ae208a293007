import { expect, test } from 'vitest';
import { limits } from '../contract/plane-words.ts';
import type { RunId } from '../ports/words.ts';
import { type LeftBehind, pruneOnce, pruning } from './pruning.ts';

const keptMs = 14 * 24 * 3_600_000;

interface Told {
  readonly ended?: readonly { readonly run: string; readonly forMs: number }[];
  readonly gone?: readonly string[];
}

/** A machine on which these runs are quiet, and a server that says this of whatever it is asked. */
function rig(quiet: readonly string[], server: Told | Error, used: readonly string[] = []) {
  const here = new Set(quiet);
  const asked: (readonly RunId[])[] = [];
  const log: string[] = [];
  let unusedAsked = 0;
  const left: LeftBehind = {
    quietRuns: async () => [...here] as RunId[],
    remove: async (run) => {
      if (run.startsWith('broken')) throw new Error('no such disk');
      return !used.includes(run) && here.delete(run);
    },
    removeUnused: async () => {
      unusedAsked += 1;
      return [];
    },
  };
  const ended = async (runs: readonly RunId[]) => {
    asked.push(runs);
    if (server instanceof Error) throw server;
    return { ended: [...(server.ended ?? [])], gone: [...(server.gone ?? [])] };
  };
  const clock = { sleep: (_ms: number, signal?: AbortSignal) => aborted(signal) };
  const options = { plane: { ended }, left, clock, log: (line: string) => log.push(line), keptMs };
  return { here, asked, log, options, unusedAsked: () => unusedAsked };
}

const aborted = (signal?: AbortSignal): Promise<void> =>
  new Promise((done) => signal?.addEventListener('abort', () => done()));
const going = () => new AbortController().signal;

test('what ended long enough ago, or is gone, goes; what is younger or not named stays', async () => {
  const ended = [
    { run: 'old1', forMs: keptMs },
    { run: 'new1', forMs: keptMs - 1 },
  ];
  const r = rig(['old1', 'new1', 'gone', 'open'], { ended, gone: ['gone'] });
  await pruneOnce(r.options, going());
  expect([...r.here]).toEqual(['new1', 'open']);
  expect(r.log).toEqual([
    'removed what was left of old1: it ended 14 days ago',
    'removed what was left of gone: the server has it no more',
  ]);
});

test('nothing goes that was not asked for, whatever the server names', async () => {
  const r = rig(['old1'], { gone: ['../other', 'old2'] });
  r.here.add('old2');
  r.options.left.quietRuns = async () => ['old1' as RunId];
  await pruneOnce(r.options, going());
  expect([...r.here]).toEqual(['old1', 'old2']);
});

test('without an answer of its server everything stays, mirrors too', async () => {
  const r = rig(['old1'], new Error('no answer'));
  await pruneOnce(r.options, going());
  expect([...r.here]).toEqual(['old1']);
  expect(r.unusedAsked()).toBe(0);
  expect(r.log).toEqual(['nothing more is removed now: no answer']);
});

test('one that is in use, or cannot be removed, is told and keeps no other', async () => {
  const r = rig(['used', 'broken', 'gone'], { gone: ['used', 'broken', 'gone'] }, ['used']);
  await pruneOnce(r.options, going());
  expect([...r.here]).toEqual(['used', 'broken']);
  expect(r.log.slice(0, 2)).toEqual([
    'used is over and still in use here',
    'broken is over and could not be removed: no such disk',
  ]);
  expect(r.unusedAsked()).toBe(1);
});

test('questions are as long as the contract allows, and one is asked without any run', async () => {
  const many = Array.from({ length: limits.endedRuns + 1 }, (_, n) => `run${n}`);
  const r = rig(many, {});
  await pruneOnce(r.options, going());
  expect(r.asked.map(({ length }) => length)).toEqual([limits.endedRuns, 1]);
  const none = rig([], {});
  await pruneOnce(none.options, going());
  expect(none.asked).toEqual([[]]);
});

test('a pass is made at the start, and whoever ends it waits for nothing else', async () => {
  const r = rig(['gone'], { gone: ['gone'] });
  const passes = pruning(r.options);
  while (r.unusedAsked() === 0) await new Promise((done) => setImmediate(done));
  await passes.end();
  expect([...r.here]).toEqual([]);
});
