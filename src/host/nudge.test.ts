/**
 * Goal: a push reaches the lane that runs, once, in the way that its program can be reached by.
 * Method: a real lane host; what its engine says comes with its beats.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { removeRig, run } from '../../test/support/lane-rig.ts';
import { type Adapter, saidNothing, type Talk, type TurnEnd } from '../ports/agent.ts';
import { nudges } from './nudges.ts';
import { stallWatch } from './stall-watch.ts';
import { nudgePrompt } from './turn-driver.ts';

vi.setConfig({ testTimeout: 30_000 });
afterAll(removeRig);

const ended = { text: 'so far', until: null, usage: null, sessionId: 'its-own' } as const;

/** Hangs in its first turn until it is called off, and ends the next one by itself. */
function talkingAgent(more: { readonly session: boolean; readonly end?: TurnEnd }) {
  const turns: { readonly prompt: string; readonly session: string | null }[] = [];
  const heard = new Set<string>();
  const adapter = (): Adapter => ({
    name: 'fake',
    version: '1',
    launch({ dispatch }) {
      turns.push({ prompt: dispatch.prompt, session: dispatch.sessionId });
      const isFirst = turns.length === 1;
      const talk: Talk = {
        isOpen: true,
        isProtocol: true,
        begin: () => saidNothing,
        line(text) {
          heard.add(text);
          const session = text === 'hello' && more.session;
          return {
            write: [],
            events: [
              ...(session ? [{ kind: 'session', id: 'its-own' } as const] : []),
              ...(text === 'over' ? [{ kind: 'turn_finished', reason: 'x' } as const] : []),
            ],
          };
        },
        decide: () => saidNothing,
        cancel: () => ({ write: ['stop\n'], events: [] }),
        end: () =>
          isFirst
            ? (more.end ?? { ...ended, outcome: 'turn_ended' })
            : { ...ended, outcome: 'turn_ended' },
      };
      const waits = 'echo hello; read word; echo "$word" > heard; echo over';
      return { argv: ['sh', '-c', isFirst ? waits : 'echo over'], env: {}, stdin: null, talk };
    },
  });
  return { turns, heard, adapter };
}

/** Nudged once it has said hello; the same is said again with every beat after that. */
const beatsFor =
  ({ heard }: { readonly heard: ReadonlySet<string> }) =>
  () => {
    const nudged = heard.has('hello') ? { nudges: 1 } : {};
    return { ok: true, cancel: false, pause: false, ...nudged } as const;
  };

test('a conversation is called off and gone on with, in the same execution (RR-25)', async () => {
  const agent = talkingAgent({ session: true });
  const { result, told, tree, kept } = await run({
    ...{ agent: '', prompt: 'all of it', options: { adapter: agent.adapter } },
    beats: beatsFor(agent),
  });
  expect(agent.turns).toEqual([
    { prompt: 'all of it', session: null },
    { prompt: nudgePrompt, session: 'its-own' },
  ]);
  expect(readFileSync(join(tree, 'heard'), 'utf8')).toBe('stop\n');
  expect(result).toMatchObject({ kind: 'executed', outcome: 'turn_ended' });
  expect(told).toEqual(['claim', expect.stringMatching(/^start /), 'result', 'driver']);
  const journal = result?.kind === 'executed' && result.journal ? kept.get(result.journal) : '';
  expect(journal).toContain('nudged, 1: nothing moved');
  expect(journal).toContain('cut short (nothing moved); it goes on');
});

test('that its program calls its interruption a failure is no failure of the job (RR-25)', async () => {
  const end: TurnEnd = {
    ...{ outcome: 'failed', class: 'lane_died', detail: 'interrupted' },
    ...{ usage: null, sessionId: 'its-own' },
  };
  const agent = talkingAgent({ session: true, end });
  const { result } = await run({
    ...{ agent: '', options: { adapter: agent.adapter } },
    beats: beatsFor(agent),
  });
  expect(agent.turns).toHaveLength(2);
  expect(result).toMatchObject({ kind: 'executed', outcome: 'turn_ended' });
});

test('without a conversation to go on with nothing is called off', async () => {
  const agent = talkingAgent({ session: false });
  const { result, tree } = await run({
    ...{ agent: '', options: { adapter: agent.adapter } },
    ...{ dispatch: { deadlineMs: 2_000 }, beats: beatsFor(agent) },
  });
  expect(agent.turns).toHaveLength(1);
  expect(result).toMatchObject({ class: 'window_exhausted' });
  // The deadline has called it off, after the push had not.
  expect(readFileSync(join(tree, 'heard'), 'utf8')).toBe('stop\n');
});

test('a lane whose processes are stopped is woken, and nothing is said to it (RR-25, L-D12)', async () => {
  let beats = 0;
  const { result, tree, kept } = await run({
    agent: 'kill -STOP $$; echo woken > after',
    beats: () => {
      beats += 1;
      return { ok: true, cancel: false, pause: false, ...(beats > 3 ? { nudges: 1 } : {}) };
    },
  });
  expect(readFileSync(join(tree, 'after'), 'utf8')).toBe('woken\n');
  expect(result).toMatchObject({ kind: 'executed', outcome: 'turn_ended' });
  const journal = result?.kind === 'executed' && result.journal ? kept.get(result.journal) : '';
  expect(journal).toContain('stopped processes were woken');
});

test('who leaves in good order before its turn is over is told apart (DESIGN 13)', async () => {
  const end: TurnEnd = { outcome: 'lane_died', detail: 'it left', usage: null };
  const left = (script: string) => {
    const adapter = (): Adapter => ({
      ...{ name: 'fake', version: '1' },
      launch: () => ({
        ...{ argv: ['sh', '-c', script], env: {}, stdin: null },
        talk: {
          ...{ isOpen: false, begin: () => saidNothing, line: () => saidNothing },
          ...{ decide: () => saidNothing, cancel: () => saidNothing, end: () => end },
        },
      }),
    });
    return run({ agent: '', options: { adapter } });
  };
  expect((await left('exit 0')).result).toMatchObject({ class: 'lane_died', cleanExit: true });
  expect((await left('exit 1')).result).not.toHaveProperty('cleanExit');
});

test('the same count again is the same push; a turn that is over hears none', () => {
  const heard: string[] = [];
  const pushes = nudges((count) => heard.push(`new ${count}`));
  pushes.told(1);
  const deaf = pushes.listen(() => heard.push('turn'));
  pushes.told(1);
  pushes.told(2);
  deaf();
  pushes.told(3);
  expect(heard).toEqual(['new 1', 'new 2', 'turn', 'new 3']);
});

test('what was stalled is counted over all of it, and what nobody watched is not (RR-25, L-D19)', () => {
  let nowMs = 0;
  const stall = stallWatch({ monotonicMs: () => nowMs }, 2);
  const at = (ms: number, isStalled: boolean) => {
    nowMs = ms;
    stall.look(isStalled);
  };
  expect(stall.told()).toEqual({});
  at(0, true);
  at(3_000, true);
  at(6_000, false);
  at(60_000, true);
  at(63_000, true);
  expect(stall.told()).toEqual({ stalledMs: 6_000 });
  stall.nudged(1);
  at(3_600_000, true);
  expect(stall.told()).toEqual({ stalledMs: 15_000, nudge: 1, nudges: 2 });
});
