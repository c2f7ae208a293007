/** Goal: opinions are printed as they come, and the command ends as UX 2.4 says (EV-7, EV-68). */
import { expect, test } from 'vitest';
import { at, digest, exampleView, execution } from '../../test/support/example-run.ts';
import { typed } from '../../test/support/scripted-cli.ts';
import { type ScriptedClient, scriptedClient } from '../../test/support/scripted-client.ts';
import { scriptedIo } from '../../test/support/scripted-io.ts';
import type { StoredEvent } from '../ports/store.ts';

const parked = {
  status: 'needs_operator',
  phase: null,
  disposition: 'escalated',
  reason: 'attempts_exhausted',
} as const;
const advising = { agent: 'codex:gpt', role: 'verify' } as const;
type Ended = Extract<StoredEvent['event'], { type: 'opinion.ended' }>;
const ended = (profile: string, more: Partial<Ended>): Ended => ({
  type: 'opinion.ended',
  profile,
  execution: execution(4),
  ...{ outcome: 'given', text: null, detail: '', at: at(90) },
  ...more,
});

/** A council of two that says nothing yet. */
function asked(): ScriptedClient {
  const whole = scriptedClient([exampleView(parked)]);
  const profiles = ['oracle', 'test'];
  const by = { by: 'me', channel: 'terminal', at: at(0) } as const;
  whole.artifacts.set(digest('e'), 'It is the clock.\n\u001b[31mLook at clock.ts:7.');
  return {
    ...whole,
    consult: async () => {
      whole.emit(at(0), { type: 'council.asked', profiles, ...advising, ...by });
      return whole.view();
    },
  };
}

test('each opinion is printed once, with its profile, its agent and its time', async () => {
  const client = asked();
  const io = scriptedIo();
  const seen: string[] = [];
  io.onSleep((n) => {
    seen.push(io.written());
    if (n === 1) client.emit(at(62), ended('test', { text: digest('e') }));
    if (n === 3)
      client.emit(at(90), ended('oracle', { outcome: 'unavailable', detail: 'it died' }));
  });
  const { exit, out } = await typed(['consult', '7k2m', '--profiles', 'oracle,test'], {
    client,
    io,
  });
  expect(exit).toBe(0);
  expect(seen[2]).toContain('✓ test · codex:gpt (roles.verify) · 1m02s');
  expect(seen[2]).toContain('  Look at clock.ts:7.\n');
  expect(out.split('It is the clock.')).toHaveLength(2);
  expect(out).toContain('✗ oracle · codex:gpt (roles.verify) · 1m30s · unavailable: it died');
  expect(out).toContain('1 of 2 opinions; nothing is decided');
  const page = await typed(['show', '7k2m'], { client });
  expect(page.out).toContain('  opinions  oracle · codex:gpt');
  expect(page.out).toContain('Look at clock.ts:7.');
  const json = await typed(['show', '7k2m', '--json'], { client });
  expect(JSON.parse(json.out).opinions).toMatchObject([
    { profile: 'oracle', outcome: 'unavailable', text: null, detail: 'it died' },
    { profile: 'test', outcome: 'given', artifact: digest('e'), detail: null },
  ]);
});

test('a council of which nobody spoke is an error that says why (exit 1)', async () => {
  const client = asked();
  const io = scriptedIo();
  io.onSleep((n) => {
    if (n > 1) return;
    for (const profile of ['oracle', 'test']) {
      client.emit(at(9), ended(profile, { outcome: 'cancelled', detail: 'the run went on' }));
    }
  });
  const { exit, err } = await typed(['consult', '7k2m'], { client, io });
  expect(exit).toBe(1);
  expect(err).toContain('error[no_opinion]');
  expect(err).toContain('oracle: the run went on; test: the run went on');
});

test('Ctrl-C leaves, and says that the council goes on (exit 130)', async () => {
  const client = asked();
  const io = scriptedIo();
  io.onSleep(() => io.signal('SIGINT'));
  const { exit, out } = await typed(['consult', '7k2m'], { client, io });
  expect([exit, out]).toEqual([
    130,
    expect.stringContaining('the council goes on; what it says:  pawl show 7k2m'),
  ]);
  expect(client.calls.map(({ verb }) => verb)).not.toContain('cancel');
});

test('a run that is not parked is refused with the verb that fits it', async () => {
  const client = scriptedClient([exampleView({ status: 'complete', phase: null })]);
  const { exit, err } = await typed(['consult', '7k2m'], { client });
  expect(exit).toBe(2);
  expect(err).toContain('7k2m is complete, not parked. Did you mean: pawl land 7k2m');
});
