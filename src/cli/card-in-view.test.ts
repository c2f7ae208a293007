/**
 * Goal: a run that comes to wait for a human while it is watched on a terminal is answered there,
 * and the view stays; where nobody can answer nothing is asked (UX 3.2, 5.3).
 */
import { expect, test } from 'vitest';
import { at, commit, exampleView } from '../../test/support/example-run.ts';
import { claude, typed } from '../../test/support/scripted-cli.ts';
import {
  answerIn,
  type ScriptedClient,
  scriptedClient,
} from '../../test/support/scripted-client.ts';
import { type ScriptedIo, scriptedIo } from '../../test/support/scripted-io.ts';
import type { RunView } from '../ports/client.ts';
import type { ApprovalId } from '../ports/words.ts';

const approval = '7k2mab34cd56.a1' as ApprovalId;
const waiting: Partial<RunView> = {
  status: 'waiting_human',
  phase: null,
  execution: null,
  gate: {
    ...{ kind: 'manual', approval, look: 'Look at /settings', commit: commit('9'), step: 1 },
    ...{ askedAt: at(0), expiresAt: null },
  },
};
const keyRow = '[y] it is good   [n] not yet';
const count = (text: string, part: string): number => text.split(part).length - 1;

/** One step for every fourth look; the run comes to wait at the first. */
type Step = (world: { readonly io: ScriptedIo; readonly client: ScriptedClient }) => void;
const press =
  (key: string): Step =>
  ({ io }) =>
    io.press(key);

async function watched(steps: readonly Step[], more: Parameters<typeof typed>[1] = {}, line = '') {
  const client = scriptedClient([exampleView()]);
  const io = more.io ?? scriptedIo({ isTerminal: true, answers: ['cut off'] });
  io.onSleep((sleeps) => {
    if (sleeps > 200) throw new Error(`no end\n${io.written()}`);
    if (sleeps === 2) client.change(waiting);
    if (sleeps % 4 === 0) steps[sleeps / 4 - 1]?.({ io, client });
  });
  const words = ['watch', '7k2m', ...line.split(' ').filter((word) => word !== '')];
  const done = await typed(words, { ...more, client, io });
  const sent = client.calls.filter(({ verb }) => verb === 'resolveGate');
  return { ...done, sent: sent.map(({ details }) => answerIn(details)) };
}

test('y in the view approves, Enter before it does nothing, and the view stays', async () => {
  const { exit, out, sent } = await watched([press('\r'), press('y')]);
  expect({ exit, sent }).toEqual({ exit: 0, sent: [['approved', null]] });
  expect(count(out, keyRow)).toBe(1);
  expect(count(out, 'brakes    ')).toBe(1);
  expect(out.indexOf(' complete   fix-date')).toBeGreaterThan(out.indexOf(keyRow));
});

test('n sends the note back', async () => {
  const { sent } = await watched([press('n')]);
  expect(sent).toEqual([['rejected', 'cut off']]);
});

test('s puts the card aside, a opens it again', async () => {
  const { exit, out, sent } = await watched([press('s'), press('a'), press('y')]);
  expect({ exit, sent }).toEqual({ exit: 0, sent: [['approved', null]] });
  expect(count(out, keyRow)).toBe(2);
  expect(out).toContain('nothing was decided; a opens it again');
});

test.each([
  ['q', 4, [press('q')]],
  ['Ctrl-C', 130, [press('\u0003')]],
  ['Ctrl-C when the card is put aside', 130, [press('s'), press('\u0003')]],
  ['d when the card is put aside', 0, [press('s'), press('d')]],
  ['SIGTERM', 143, [({ io }) => io.signal('SIGTERM')]],
  ['a terminal that closes', 0, [({ io }) => io.signal('SIGHUP')]],
] as const satisfies readonly (readonly [string, number, readonly Step[]])[])(
  '%s leaves it undecided, exit %i',
  async (_how, code, steps) => {
    const { exit, sent, out } = await watched(steps);
    expect({ exit, sent }).toEqual({ exit: code, sent: [] });
    if (code !== 0)
      expect(out).toContain('nothing was decided; 7k2m waits   ·   pawl approve 7k2m');
  },
);

test('what is answered elsewhere closes the card, and is said', async () => {
  const elsewhere: Step = ({ client }) => {
    client.emit(at(0), {
      ...{ type: 'gate.resolved', approval, outcome: 'approved', by: 'operator', channel: 'ui' },
      ...{ note: null, summary: '', at: at(0) },
    } as never);
    client.change({ status: 'complete', verification: 'passed', gate: null });
  };
  const { exit, out, sent } = await watched([elsewhere]);
  expect({ exit, sent }).toEqual({ exit: 0, sent: [] });
  expect(out).toContain('already approved by operator in the UI at 22:10');
});

test('--timeout counts while a card is open', async () => {
  const { exit, out } = await watched([], {}, '--timeout 5s');
  expect(exit).toBe(124);
  expect(out).toContain(keyRow);
});

test.each([
  ['in a pipe', { io: scriptedIo() }, ''],
  ['with --yes', {}, '--yes'],
  ['with --no-input', {}, '--no-input'],
  ['in CI', { env: { CI: 'true' } }, ''],
  [
    'below an agent',
    { principal: { ...claude, stdinIsTerminal: true, stdoutIsTerminal: true } },
    '',
  ],
])('%s nothing is asked: the page, exit 4', async (_where, script, line) => {
  const { exit, out, sent } = await watched([press('y')], script, line);
  expect({ exit, sent }).toEqual({ exit: 4, sent: [] });
  expect(out).toContain('Look at /settings');
  expect(out).not.toContain(keyRow);
});
