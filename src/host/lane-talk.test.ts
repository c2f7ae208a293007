import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { removeRig, run } from '../../test/support/lane-rig.ts';
import type { PermissionAnswer, Usage } from '../domain/execution/state.ts';
import type { Adapter, Said, Talk, TurnEnd } from '../ports/agent.ts';
import { parseJournal } from '../ports/journal.ts';
import type { LaneEvent } from '../ports/lane-event.ts';
import { readJournal } from './journal.ts';
import { laneTalk } from './lane-talk.ts';
import { noUsage } from './lane-work.ts';
import { plantSeeds } from './seeds.ts';

const root = mkdtempSync(join(tmpdir(), 'pawl-talk-'));
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
  removeRig();
});

const shortSpans = { graceMs: 100, completingMs: 50, watchMs: 20, closingMs: 50, cancelMs: 50 };
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const said = (write: readonly string[], ...events: readonly LaneEvent[]): Said => ({
  write,
  events,
});
const ended = (text: string): TurnEnd => ({
  outcome: 'turn_ended',
  text,
  until: null,
  usage: null,
  sessionId: 'conversation-1',
});

/** Speaks with a shell: asks it its name, permits what it wants, says goodbye. */
function shellTalk(): Talk & { readonly lines: string[] } {
  const lines: string[] = [];
  return {
    lines,
    isOpen: true,
    begin: () => said(['who\n']),
    line(text) {
      lines.push(text);
      if (text === 'name') {
        const started = { kind: 'started', version: '9.1', model: null, mode: null } as const;
        return said(['work\n'], started, { kind: 'session', id: 'conversation-1' });
      }
      if (text === 'may I') {
        const asked = { kind: 'permission', request: '1', tool: null, title: 'it' } as const;
        return said([], { ...asked, digest: 'd' });
      }
      return text === 'over' ? said([], { kind: 'turn_finished', reason: 'end' }) : said([]);
    },
    decide: (request, decision) => said([`${request} ${decision}\n`]),
    cancel: () => said(['stop\n'], { kind: 'notice' }),
    end: () => ended(lines.join(' ')),
  };
}

const adapterOf = (talk: Talk): (() => Adapter) => {
  return () => ({
    name: 'shell',
    version: '1',
    launch: ({ role }) => ({ argv: role.command ?? [], env: {}, stdin: null, talk }),
  });
};

test('lines go in, answers come back, and an open stdin is closed when the turn is over', async () => {
  const talk = shellTalk();
  const agent = `read a; echo name; read b; echo may I; read c; echo "$a $b $c"; echo over
    while read rest; do echo "$rest"; done; echo closed > closed`;
  const spans = { graceMs: 100, completingMs: 50, watchMs: 20, closingMs: 30_000, cancelMs: 50 };
  const { result, tree, spool } = await run({
    agent,
    options: { adapter: adapterOf(talk), spans },
  });
  expect(talk.lines).toEqual(['name', 'may I', 'who work 1 deny', 'over']);
  expect(readFileSync(join(tree, 'closed'), 'utf8')).toBe('closed\n');
  expect(result).toMatchObject({ kind: 'executed', sessionId: 'conversation-1' });
  expect(result).toMatchObject({ end: { version: '9.1' } });
  expect(JSON.parse(readFileSync(join(spool, 'session.json'), 'utf8'))).toEqual({
    sessionId: 'conversation-1',
  });
});

test('its stdin stays open until it has written down the turn that it said is over', async () => {
  let closed = '';
  const looks: boolean[] = [];
  const isRecorded = () => looks.push(existsSync(closed)) === 10;
  const adapter = (): Adapter => ({
    ...adapterOf(shellTalk())(),
    launch(setting) {
      closed = join(setting.tree, 'closed');
      return adapterOf({ ...shellTalk(), isRecorded })().launch(setting);
    },
  });
  const agent = 'read a; echo name; read b; echo over; while read c; do :; done; echo > closed';
  const spans = { graceMs: 100, completingMs: 50, watchMs: 20, closingMs: 30_000, cancelMs: 50 };
  const recording = { recordingMs: 60_000, recordWatchMs: 20 };
  await run({ agent, options: { adapter, spans: { ...spans, ...recording } } });
  expect(looks).toEqual(Array.from({ length: 10 }, () => false));
  expect(existsSync(closed)).toBe(true);
});

test('a record that cannot be read is told of, and not waited for', () => {
  const heard: LaneEvent[] = [];
  const isRecorded = () => {
    throw new Error('EACCES: no leave to read it');
  };
  const means = {
    hear: (event: LaneEvent) => heard.push(event),
    decide: async () => 'deny' as const,
  };
  expect(laneTalk({ ...shellTalk(), isRecorded }, means).isRecorded()).toBe(true);
  expect(heard).toMatchObject([{ kind: 'error', detail: expect.stringContaining('EACCES') }]);
});

test('one that stays after its turn is over is ended, and its turn has ended (L-D1)', async () => {
  const agent = 'read a; echo name; read b; echo over; sleep 607; true';
  const options = { adapter: adapterOf(shellTalk()), spans: shortSpans };
  const { result } = await run({ agent, options });
  expect(result).toMatchObject({ kind: 'executed', outcome: 'turn_ended' });
});

test('a cancel is asked for in the protocol before anything is ended (lane-host.md 9)', async () => {
  const agent = `read a; read b; echo "$b" > asked; echo over; sleep 608; true`;
  const spans = { graceMs: 100, completingMs: 50, watchMs: 20, closingMs: 50, cancelMs: 20_000 };
  const { exit, tree } = await run({
    agent,
    options: { adapter: adapterOf(shellTalk()), spans },
    beats: () => ({ ok: true, cancel: true, pause: false }),
  });
  expect(exit.how).toBe('cancelled');
  expect(readFileSync(join(tree, 'asked'), 'utf8')).toBe('stop\n');
});

test('the same denial twice ends the turn and parks the run with its name (L-H15)', async () => {
  const agent = `read a; echo may I; read b; echo may I; read c; read d; sleep 609; true`;
  const options = { adapter: adapterOf(shellTalk()), spans: shortSpans };
  const { result } = await run({ agent, options });
  expect(result).toMatchObject({ outcome: 'permission_denied', problem: 'it' });
  expect(result).toMatchObject({ refused: { count: 2, tool: null, call: 'it', why: 'deny' } });
});

describe('of an end that it was asked for, having been denied twice', () => {
  const agent = `read a; echo may I; read b; echo may I; read c; read d; echo over; sleep 613; true`;
  const usage = null;
  const failures = ['lane_died', 'transport_lost', 'auth_required'] as const;
  const told: readonly TurnEnd[] = [
    ...failures.map((kind) => ({
      ...({
        outcome: 'failed',
        class: kind,
        detail: 'interrupted',
        usage,
        sessionId: 's',
      } as const),
    })),
    { outcome: 'limit', text: null, until: 5, usage, sessionId: 's' },
    { outcome: 'lane_died', detail: 'it was ended', usage },
    ended('it stopped'),
  ];

  test.each(told)('what it says does not count: $outcome $class (L-H15)', async (end) => {
    const options = { adapter: adapterOf({ ...shellTalk(), end: () => end }), spans: shortSpans };
    const { result } = await run({ agent, options });
    expect(result).toMatchObject({ outcome: 'permission_denied', problem: 'it' });
  });

  test('nor has a judge judged that calls it a failure', async () => {
    const [failure = ended('')] = told;
    const options = {
      adapter: adapterOf({ ...shellTalk(), end: () => failure }),
      spans: shortSpans,
    };
    const { result, kept } = await run({ agent, options, role: 'judge' });
    expect(result).toMatchObject({ kind: 'verified' });
    expect([...kept.values()].join()).toContain('\\"ended\\":false');
  });

  test.each(told.slice(0, 4))('what it had told before stands: $outcome $class', async (end) => {
    const plain = shellTalk();
    const denied = { kind: 'denied', title: 'Bash: rm', digest: 'd' } as const;
    const talk: Talk = {
      ...plain,
      // As one line of a transcript tells of both.
      line: (text) =>
        text === 'over'
          ? said([], denied, denied, { kind: 'turn_finished', reason: 'failed' })
          : plain.line(text),
      end: () => end,
    };
    const options = { adapter: adapterOf(talk), spans: shortSpans };
    const { result } = await run({ agent: 'read a; echo over; sleep 614; true', options });
    const kind = end.outcome === 'failed' ? { class: end.class } : { outcome: 'limit' };
    expect(result).toMatchObject(kind);
  });
});

test('what its own rules refused is counted, with the first of them', async () => {
  const plain = shellTalk();
  let n = 0;
  const line = (text: string) => {
    n += 1;
    const denied = { kind: 'denied', title: `Bash: rm ${n}`, digest: String(n) } as const;
    return text === 'name' ? said([], denied) : plain.line(text);
  };
  const agent = 'read a; echo name; echo name; echo over; sleep 615; true';
  const { result } = await run({
    agent,
    options: { adapter: adapterOf({ ...plain, line }), spans: shortSpans },
  });
  expect(result).toMatchObject({
    outcome: 'turn_ended',
    refused: { count: 2, tool: null, call: 'Bash: rm 1', why: 'agent' },
  });
});

test('of what was refused the tool and its call are told apart, without secrets', async () => {
  const plain = shellTalk();
  const event = { kind: 'permission', request: '1', tool: 'Bash', digest: 'd' } as const;
  const line = (text: string) =>
    text === 'may I'
      ? said([], { ...event, title: 'Bash: curl -u me:hunter2-hunter2 x' })
      : plain.line(text);
  const { result } = await run({
    agent: 'read a; echo may I; read b; echo over; sleep 617; true',
    options: { adapter: adapterOf({ ...plain, line }), spans: shortSpans },
    secrets: { TOKEN: 'command:echo hunter2-hunter2' },
    definition: { onPermission: 'stop' },
  });
  const { refused } = result as { readonly refused?: { readonly call: string } };
  expect(refused).toMatchObject({ count: 1, tool: 'Bash', why: 'stop' });
  expect(refused?.call).toMatch(/^curl -u me:.*TOKEN.* x$/);
  expect(refused?.call).not.toContain('hunter2');
});

/** A lane that asks once, and is answered with a beat; null: never. */
function asksHuman(
  answer: Pick<PermissionAnswer, 'decision' | 'why'> | null,
  agent = 'read a; echo may I; read b; echo "$b" > asked; echo over; sleep 612; true',
) {
  let request: string | null = null;
  return run({
    agent,
    options: { adapter: adapterOf(shellTalk()), spans: shortSpans },
    definition: { onPermission: 'ask' },
    ask: async ({ ask }) => {
      request = ask.request;
      return { ok: true };
    },
    beats: () => {
      const told = request === null || answer === null ? {} : { answer: { request, ...answer } };
      return { ok: true, cancel: false, pause: false, ...told };
    },
  });
}

test('with onPermission: ask it waits for a human, whose answer comes with a beat', async () => {
  const { tree, result } = await asksHuman({ decision: 'allow' });
  expect(result).toMatchObject({ outcome: 'turn_ended' });
  expect(result).not.toHaveProperty('refused');
  expect(readFileSync(join(tree, 'asked'), 'utf8')).toBe('1 allow\n');
});

test.each(['rejected', 'expired'] as const)(
  'a request that was %s is told as that',
  async (why) => {
    const { tree, result } = await asksHuman({ decision: 'deny', why });
    expect(result).toMatchObject({ outcome: 'turn_ended', refused: { count: 1, why } });
    expect(readFileSync(join(tree, 'asked'), 'utf8')).toBe('1 deny\n');
  },
);

test('what it took back it is not told, and was refused by nobody, however often (RR-26)', async () => {
  const plain = shellTalk();
  const event = { kind: 'permission', tool: 'Bash', title: 'Bash: ls', digest: 'd' } as const;
  let n = 0;
  const line = (text: string) => {
    if (text === 'may I') {
      n += 1;
      return said([], { ...event, request: `r${n}` });
    }
    return text === 'never mind'
      ? said([], { kind: 'withdrawn', request: `r${n}` })
      : plain.line(text);
  };
  const told: string[] = [];
  const decide = (request: string, decision: 'allow' | 'deny') => {
    told.push(request);
    return plain.decide(request, decision);
  };
  const twice = 'echo may I; echo never mind; echo may I; echo never mind';
  const { result } = await run({
    agent: `read a; ${twice}; echo over; sleep 619; true`,
    options: { adapter: adapterOf({ ...plain, line, decide }), spans: shortSpans },
    definition: { onPermission: 'ask' },
    ask: async () => ({ ok: true }),
  });
  expect(result).toMatchObject({ outcome: 'turn_ended' });
  expect(result).not.toHaveProperty('refused');
  expect(told).toEqual([]);
});

test('what still waits for a human when the turn ends was refused by nobody', async () => {
  const { result } = await asksHuman(null, 'read a; echo may I; echo over; sleep 618; true');
  expect(result).toMatchObject({ outcome: 'turn_ended' });
  expect(result).not.toHaveProperty('refused');
});

test('a program that may not go on is not waited for, though its stdin was closed before', async () => {
  const talk = {
    ...shellTalk(),
    ...{ isOpen: false, begin: () => said([]), isCalledOff: () => true },
  };
  // Without that it would have the ten minutes in which a program may leave by itself.
  const spans = { graceMs: 100, completingMs: 600_000, watchMs: 20, closingMs: 20, cancelMs: 50 };
  const options = { adapter: adapterOf(talk), spans };
  const { result } = await run({ agent: 'echo over; sleep 611; true', options });
  expect(result).toMatchObject({ kind: 'executed', outcome: 'turn_ended' });
});

test('what it tells of its usage goes with every beat: a lane that is lost has spent it (L-F3)', async () => {
  const usage = { ...noUsage, source: 'self-reported', tokensIn: 7 } as const;
  const plain = shellTalk();
  const line = (text: string) =>
    text === 'name' ? said(['work\n'], { kind: 'usage', usage }) : plain.line(text);
  const beaten: (Usage | null)[] = [];
  const { exit } = await run({
    agent: 'read a; echo name; read b; sleep 610; true',
    options: { adapter: adapterOf({ ...plain, line }) },
    beats: (told) => {
      beaten.push(told);
      return { ok: true, cancel: told !== null, pause: false };
    },
  });
  expect(exit.how).toBe('cancelled');
  expect(beaten.at(-1)).toEqual(usage);
});

test('a failure that the program told of is the failure of its turn', async () => {
  const usage = null;
  const failure = { outcome: 'failed', class: 'auth_required', detail: 'log in', usage } as const;
  const talk = { ...shellTalk(), end: () => ({ ...failure, sessionId: null }) };
  const { result } = await run({ agent: 'true', options: { adapter: adapterOf(talk) } });
  expect(result).toMatchObject({ kind: 'failed', class: 'auth_required', detail: 'log in' });
});

test('a line that is too long is left out and told; a decision that fails is a denial', async () => {
  const heard: LaneEvent[] = [];
  const written: string[] = [];
  const talk = laneTalk(shellTalk(), {
    hear: (event) => heard.push(event),
    decide: () => Promise.reject(new Error('nobody there')),
  });
  talk.begin({ write: (text) => written.push(text) });
  const long = bytes('x'.repeat(8 * 1024 * 1024));
  for (let part = 0; part < 5; part += 1) talk.take(long);
  talk.take(bytes('\nmay I\n'));
  await new Promise((resolve) => setImmediate(resolve));
  expect(heard.map(({ kind }) => kind)).toEqual(['permission', 'error']);
  expect(written).toEqual(['who\n', '1 deny\n']);
  const end = talk.end({ exit: 0, signal: null }, null);
  expect(end).toEqual(ended('may I'));
});

test('seeds lie in the home, for their owner alone', () => {
  const home = join(root, 'home');
  plantSeeds(home, [{ path: '.agent/settings.json', text: '{}' }]);
  plantSeeds(home, [{ path: '.agent/settings.json', text: '{"a":1}' }]);
  expect(readFileSync(join(home, '.agent/settings.json'), 'utf8')).toBe('{"a":1}');
  expect(statSync(join(home, '.agent/settings.json')).mode & 0o777).toBe(0o600);
  expect(() => plantSeeds(home, [{ path: '../out', text: '' }])).toThrow(/lies in the home/);
});

test('what an agent put in the place of a seed is replaced, not followed', () => {
  const home = join(root, 'planted');
  mkdirSync(home);
  writeFileSync(join(root, 'victim'), 'mine');
  symlinkSync(join(root, 'victim'), join(home, 'settings.json'));
  plantSeeds(home, [{ path: 'settings.json', text: 'ours' }]);
  expect(readFileSync(join(root, 'victim'), 'utf8')).toBe('mine');
  expect(readFileSync(join(home, 'settings.json'), 'utf8')).toBe('ours');
});

const wordy: Record<string, readonly LaneEvent[]> = {
  '{"a":1}': [{ kind: 'text', text: 'I will lo' }],
  '{"b":1}': [{ kind: 'text', text: 'ok\nthen' }],
  '{"c":1}': [{ kind: 'tool_started', id: '1', name: 'Bash', timeoutMs: null, with: 'npm test' }],
  '{"d":1}': [
    { kind: 'tool_finished', id: '1', status: 'completed' },
    { kind: 'text', text: 'done, all tests pass', isWhole: true },
    { kind: 'turn_finished', reason: 'end' },
  ],
};

test.each([
  ['ended', { end: () => ended('It is mended.\ndone, all tests pass\n') }],
  ['timed out', { end: () => ({ outcome: 'limit', text: null, until: null }) as never }],
])('of a protocol the words are told, and never its messages: %s', async (_how, change) => {
  const talk = {
    ...shellTalk(),
    isProtocol: true,
    line: (t: string) => said([], ...(wordy[t] ?? [])),
  };
  const agent = `printf '%s\n' '{"a":1}' '{"b":1}' '{"c":1}' '{"d":1}' '{"session_id":"1"}'`;
  const { result, spool } = await run({
    agent,
    options: { adapter: adapterOf({ ...talk, ...change }) },
  });
  expect(result).toMatchObject({ end: { lastLine: 'done, all tests pass' } });
  const journal = parseJournal(await readJournal(join(spool, 'journal'), 1_000_000));
  const of = (...kinds: readonly string[]) =>
    journal.filter(({ kind }) => kinds.includes(kind)).map(({ text }) => text);
  expect(of('stdout')).toEqual([]);
  expect(of('protocol').join('')).toContain('{"session_id":"1"}');
  expect(of('said', 'tool')).toEqual([
    ...['I will look\n', 'then\n', 'Bash: npm test', 'done, all tests pass\n'],
  ]);
});
