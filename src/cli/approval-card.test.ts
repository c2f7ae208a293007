/**
 * Goal: a decision is one deliberate key, a refusal says why, and whoever comes second is told what
 * the first said (UX 5.3, EV-45).
 */
import { expect, test } from 'vitest';
import { exampleCall } from '../../test/support/example-call.ts';
import { at, commit, exampleView } from '../../test/support/example-run.ts';
import { typed } from '../../test/support/scripted-cli.ts';
import { answerIn, scriptedClient } from '../../test/support/scripted-client.ts';
import { type ScriptedIo, scriptedIo } from '../../test/support/scripted-io.ts';
import type { RunView } from '../ports/client.ts';
import type { ApprovalId } from '../ports/words.ts';

const approval = '7k2mab34cd56.a1' as ApprovalId;
const waiting = (): RunView =>
  exampleView({
    status: 'waiting_human',
    phase: null,
    gate: {
      ...{ kind: 'manual', approval, look: 'Look at /settings', commit: commit('9'), step: 1 },
      ...{ askedAt: at(0), expiresAt: null },
    },
  });

/** A terminal on which these keys are pressed, one after another, as long as somebody listens. */
function pressing(keys: readonly string[], answers: readonly string[] = []) {
  const left = [...keys];
  let listening = 0;
  const io: ScriptedIo = {
    ...scriptedIo({ isTerminal: true, answers }),
    onKey: (listener) => {
      let isHeard = true;
      listening += 1;
      const next = (): void => {
        const key = isHeard ? left.shift() : undefined;
        if (key === undefined) return;
        listener(key);
        queueMicrotask(next);
      };
      queueMicrotask(next);
      return () => {
        if (isHeard) listening -= 1;
        isHeard = false;
      };
    },
  };
  return { io, isRaw: () => listening > 0 };
}

async function card(
  keys: readonly string[],
  more: {
    readonly line?: readonly string[];
    readonly answers?: readonly string[];
    readonly views?: readonly RunView[];
    readonly env?: Readonly<Record<string, string>>;
  } = {},
) {
  const client = scriptedClient(more.views ?? [waiting()]);
  const { io, isRaw } = pressing(keys, more.answers);
  const { line = ['approve', '7k2m'], env = {} } = more;
  const done = await typed(line, { client, io, env });
  expect(isRaw()).toBe(false);
  const sent = client.calls.filter(({ verb }) => verb === 'resolveGate');
  const answers = sent.map(({ details }) => details[0]);
  return { ...done, answers, sent: sent.map(({ details }) => answerIn(details)) };
}

test('y approves; what is pressed before it, Enter too, does nothing', async () => {
  const { exit, out, sent } = await card(['\r', '\n', ' ', 'x', 'Y']);
  expect({ exit, sent }).toEqual({ exit: 0, sent: [['approved', null]] });
  expect(out).toContain('[y] it is good   [n] not yet (your note starts attempt 3)   [d] diff');
  expect(out).toContain('Look at /settings');
});

test('n asks for the note; without one nothing is sent and the card stays', async () => {
  const { sent, out } = await card(['n', 'n'], { answers: ['  ', 'label is cut off'] });
  expect(sent).toEqual([['rejected', 'label is cut off']]);
  expect(out).toContain('nothing was sent: the next attempt needs to be told why');
});

test('d, v and o look, and decide nothing; the terminal gets no colour of the lane', async () => {
  const { out, sent, exit } = await card(['d', 'v', 'o', 's']);
  expect({ sent, exit }).toEqual({ sent: [], exit: 0 });
  expect(out).toContain('diff --git a/src/weeks.ts b/src/weeks.ts\n+x\n');
  expect(out).toContain('worktree  /state/worktrees/dates/fix-date-parsing-7k2m');
  expect(out).toContain('nothing was decided; 7k2m waits   ·   pawl approve 7k2m');
});

test.each([
  ['q', 0],
  ['\u0003', 130],
  ['\u0004', 130],
])('%j leaves it undecided, exit %i', async (key, code) => {
  expect(await card([key])).toMatchObject({ exit: code, sent: [] });
});

test('a signal gives the terminal back, too', async () => {
  const client = scriptedClient([waiting()]);
  const { io, isRaw } = pressing([]);
  const done = typed(['approve', '7k2m'], {
    client,
    io: {
      ...io,
      onKey: (listener) => {
        queueMicrotask(() => io.signal('SIGTERM'));
        return io.onKey(listener);
      },
    },
  });
  expect((await done).exit).toBe(143);
  expect(isRaw()).toBe(false);
});

test('alone: one is a card, several are a list; --yes and a pipe meet no card', async () => {
  const alone = ['approve'];
  expect((await card(['y'], { line: alone })).sent).toHaveLength(1);
  const other = { ...waiting(), id: 'm3xaaa' as RunView['id'], short: 'm3xa' };
  const two = await card(['y'], { line: alone, views: [waiting(), other] });
  expect(two.sent).toEqual([]);
  expect(two.out).toContain('pawl approve m3xa');
  expect((await card([], { line: ['approve', '7k2m', '--yes'] })).sent).toHaveLength(1);
  const client = scriptedClient([waiting()]);
  expect((await typed(['approve', '7k2m'], { client })).exit).toBe(0);
});

test('reject on a terminal asks for the note, in a pipe it needs one', async () => {
  const line = ['reject', '7k2m'];
  expect((await card([], { line, answers: ['cut off'] })).sent).toEqual([['rejected', 'cut off']]);
  expect((await card([], { line, answers: [''] })).err).toContain('error[note_missing]');
  const client = scriptedClient([waiting()]);
  expect((await typed(line, { client })).err).toContain('error[note_missing]');
});

const settled = (outcome: string, view = exampleView()) => {
  const client = scriptedClient([view]);
  const by = { by: 'operator', channel: 'ui', note: null, summary: '' };
  client.emit(at(0), { type: 'gate.resolved', approval, outcome, ...by, at: at(0) } as never);
  return client;
};

test.each([
  ['approved', 'already approved by operator in the UI at 22:10'],
  ['rejected', 'already rejected by operator in the UI at 22:10'],
  ['expired', '7k2mab34cd56.a1 expired at 22:10 (nobody answered); 7k2m is active'],
  ['voided', 'void: 7k2m went on without it at 22:10'],
])('a second answer after %s is told so', async (outcome, words) => {
  for (const reference of ['7k2m', approval]) {
    const { exit, err } = await typed(['approve', reference], { client: settled(outcome) });
    expect(exit).toBe(2);
    expect(err).toContain(`error[already_resolved]: ${words}`);
  }
});

test('a call whose lane is gone says what became of the run, or which request waits now', async () => {
  const voided = (view: RunView) => {
    const client = scriptedClient([view]);
    client.emit(at(0), { type: 'gate.opened', gate: exampleCall(approval), at: at(0) });
    const by = { by: 'pawl', channel: 'engine', note: null, summary: '' };
    client.emit(at(0), {
      ...{ type: 'gate.resolved', approval, outcome: 'voided', at: at(0), ...by },
    } as never);
    return typed(['approve', approval], { client });
  };
  const ended = exampleView({ status: 'cancelled', phase: null, execution: null });
  expect((await voided(ended)).err).toContain('void: its lane is gone; 7k2m is cancelled');
  const again = { ...waiting(), gate: exampleCall('7k2mab34cd56.a2') };
  expect((await voided(again)).err).toContain('void: the lane died; the new request is 7k2m.a2');
});

test('where another request is open meanwhile, it is named', async () => {
  const gate = { ...waiting().gate, approval: '7k2mab34cd56.a2' } as NonNullable<RunView['gate']>;
  const client = settled('voided', { ...waiting(), gate });
  const { err } = await typed(['approve', approval], { client });
  expect(err).toContain('the new request is 7k2m.a2');
});

test('how far a yes reaches belongs to what was asked', async () => {
  const manual = await card([], { line: ['approve', '7k2m', '--for-run'] });
  expect(manual.err).toContain('--for-run does not fit: a look is at one commit');
  const gate = { kind: 'protected', approval, commit: commit('9'), paths: ['ci.yml'] } as const;
  const views = [{ ...waiting(), gate: { ...gate, askedAt: at(0), expiresAt: null } }];
  const once = await card([], { line: ['approve', '7k2m', '--once'], views });
  expect(once.err).toContain('--once does not fit: paths that are allowed stay allowed');
  const forRun = ['approve', '7k2m', '--for-run', '--yes'];
  expect((await card([], { line: forRun, views })).sent).toHaveLength(1);
});

/** A lane's call waits. */
const calling = (): RunView => ({ ...waiting(), gate: exampleCall(approval) });

const forRun = ['approve', '7k2m', '--for-run'];
test.each([
  { pressed: ['y'], said: { outcome: 'approved', note: null } },
  { pressed: ['r'], said: { outcome: 'approved', note: null, forRun: true } },
  { line: forRun, pressed: ['y'], said: { outcome: 'approved', note: null, forRun: true } },
  { line: [...forRun, '--yes'], said: { outcome: 'approved', note: null, forRun: true } },
  { line: ['approve', '7k2m', '--yes'], said: { outcome: 'approved', note: null } },
])(
  'a yes to a call reaches as far as was said: $line $pressed (L-H5)',
  async ({ line, pressed = [], said }) => {
    const views = [calling()];
    const done = await card(pressed, line === undefined ? { views } : { line, views });
    expect(done.exit).toBe(0);
    expect(done.answers).toEqual([{ approval, ...said }]);
  },
);
