/**
 * Goal: what a command lane shows is told as the rule of liveness has it, on the wall clock.
 * Method: a clock that stands still but for the test, and processes as the test says.
 */
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { Instant } from '../domain/ids.ts';
import type { ProcessLook, TreeLook } from '../domain/liveness/evidence.ts';
import type { LivenessOverrides } from '../domain/liveness/figures.ts';
import type { CallInFlight, DoorSignal } from '../ports/models-door.ts';
import { laneSignals } from './lane-signals.ts';

const bootMs = 1_800_000_000_000;
const directories: string[] = [];
afterEach(() => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true });
});

function lane(timeoutMs = 5_400_000, hasDoor = false, liveness: LivenessOverrides = {}) {
  let inFlight: readonly CallInFlight[] = [];
  let atMs = 1_000;
  let processes: readonly ProcessLook[] = [process(0)];
  let isRootAlive = true;
  const clock = {
    monotonicMs: () => atMs,
    now: () => (bootMs + atMs) as Instant,
    sleep: () => Promise.resolve(),
  };
  const look = (): TreeLook => ({ isRootAlive, processes });
  const signals = laneSignals({
    ...{ clock, timeoutMs, look, liveness },
    ...(hasDoor ? { door: { state: () => ({ inFlight }) } } : {}),
  });
  const read = () => JSON.parse(signals.read()) as Readonly<Record<string, unknown>>;
  return {
    signals,
    read,
    print: (text: string) => signals.printed(Buffer.from(text)),
    shows(...some: readonly ProcessLook[]) {
      processes = some;
    },
    exits() {
      isRootAlive = false;
    },
    /** A byte of the answer to a call. */
    byte(of = 1) {
      const call = { call: of, api: 'chat', model: null, sinceMs: 0, lastByteMs: atMs } as const;
      inFlight = [{ ...call, phase: 'streaming' }];
    },
    hasNoCalls() {
      inFlight = [];
    },
    /** A beat every three seconds. */
    passes(seconds: number, each: (second: number) => void = () => undefined) {
      for (let s = 3; s <= seconds; s += 3) {
        atMs += 3_000;
        each(s);
        signals.read();
      }
    },
    sleeps(ms: number) {
      atMs += ms;
    },
    ago: (ms: number) => bootMs + atMs - ms,
  };
}
function process(cpuTicks: number, state = 'S'): ProcessLook {
  return { id: '7:1', state, cpuTicks, written: null };
}

test('a question that was left with the engine is told with every beat (RR-26)', () => {
  const here = lane();
  const told = () => JSON.parse(here.signals.read());
  expect(told()).not.toHaveProperty('withdrawn');
  here.signals.left('p1');
  expect([told().withdrawn, told().withdrawn]).toEqual(['p1', 'p1']);
  here.signals.left('p3');
  expect(told().withdrawn).toBe('p3');
});

describe('a lane on a terminal (RR-6, RR-14, RR-39)', () => {
  const painting = () => {
    const here = lane();
    let rows: readonly string[] = [];
    here.signals.paints(() => rows);
    here.signals.started({ pid: 7, wrappers: [], hasTerminal: true });
    const paint = (...shown: readonly string[]) => {
      rows = shown;
      here.print('bytes that say nothing');
    };
    return { ...here, paint };
  };
  const word = (n: number) => [...String(n)].map((digit) => 'abcdefghij'[Number(digit)]).join('');
  test('that repaints without end shows no work, however much it prints and computes', () => {
    const here = painting();
    let ticks = 0;
    here.passes(120, (second) => {
      here.paint(`${'⠋⠙⠹'[second % 3]} Thinking... (esc to cancel, ${second}s)`, '────────');
      ticks += 60;
      here.shows(process(ticks));
    });
    expect(here.read()).toMatchObject({ state: 'quiet' });
    here.passes(600, (second) => here.paint(`⠋ Thinking... (esc to cancel, ${second}s)`));
    expect(here.read()).toMatchObject({ state: 'stalled', reason: null });
  });
  test('works while never-seen rows come, or while a tool that it started runs', () => {
    const here = painting();
    here.passes(60, (second) => here.paint('header', `looked at ${word(second)}`));
    expect(here.read()).toMatchObject({ state: 'working_local' });
    here.shows(process(0), { id: '8:2', state: 'S', cpuTicks: 0, written: 0 });
    here.passes(60, () => here.paint('header'));
    expect(here.read()).toMatchObject({ state: 'working_tool' });
  });
  test('what the host typed is no work of it', () => {
    const here = painting();
    here.passes(60, (second) => {
      here.signals.typed();
      here.paint(`echo of ${word(second)}`);
    });
    expect(here.read()).toMatchObject({ state: 'quiet' });
  });
});

describe('a command lane (RR-6, RR-14, RR-15)', () => {
  test('is starting until its program runs, however long its tree takes', () => {
    const here = lane();
    here.passes(900);
    expect(here.read()).toMatchObject({ state: 'starting', since: here.ago(900_000) });
  });
  test('works while it prints new rows, and is quiet from the last of them on', () => {
    const here = lane();
    here.signals.started({ pid: 7, wrappers: [] });
    here.passes(60, (second) => here.print(`looked at file number ${second}\n`));
    expect(here.read()).toMatchObject({
      ...{ state: 'working_local', since: here.ago(60_000), deadline: null },
      lastOutputAt: here.ago(0),
    });
    here.passes(300);
    expect(here.read()).toMatchObject({
      ...{ state: 'quiet', reason: null, since: here.ago(300_000), deadline: here.ago(-300_000) },
    });
    here.passes(300);
    expect(here.read()).toMatchObject({ state: 'stalled', deadline: null });
  });
  test('that only repaints is quiet, though it prints without end (L-D13)', () => {
    const here = lane();
    here.signals.started({ pid: 7, wrappers: [] });
    here.passes(60, (second) => here.print(`\r\u001b[32m|\u001b[0m working (${second}s)`));
    expect(here.read()).toMatchObject({ state: 'quiet', lastOutputAt: here.ago(0) });
  });
  test('that computes in silence works (L-D7, L-D8)', () => {
    const here = lane();
    here.signals.started({ pid: 7, wrappers: [] });
    here.passes(3_600, (second) => here.shows(process(second * 90, 'R')));
    expect(here.read()).toMatchObject({ state: 'working_local', lastCpuAt: here.ago(0) });
  });
  test('that has the CPU of an idle event loop does not', () => {
    const here = lane();
    here.signals.started({ pid: 7, wrappers: [] });
    here.passes(700, (second) => here.shows(process(second)));
    expect(here.read()).toMatchObject({ state: 'stalled', reason: null, lastCpuAt: null });
  });
  test('that changes files works for 30 s more', () => {
    const directory = mkdtempSync(join(tmpdir(), 'pawl-signals-'));
    directories.push(directory);
    writeFileSync(join(directory, 'first'), '');
    const here = lane();
    here.signals.watches(directory);
    here.signals.started({ pid: 7, wrappers: [] });
    here.passes(3, () => {
      writeFileSync(join(directory, 'second'), '');
      utimesSync(join(directory, 'second'), 4_000_000_000, 4_000_000_000);
    });
    here.passes(30);
    expect(here.read()).toMatchObject({ state: 'working_local', lastFileAt: here.ago(30_000) });
    here.passes(3);
    expect(here.read()).toMatchObject({ state: 'quiet', lastFileAt: here.ago(33_000) });
  });
  test('whose processes are stopped is frozen (L-D12)', () => {
    const here = lane();
    here.signals.started({ pid: 7, wrappers: [] });
    here.shows(process(0, 'T'));
    here.passes(6, () => here.print('still in the pipe\n'));
    expect(here.read()).toMatchObject({ state: 'stalled', reason: 'frozen' });
  });
  test('whose program is gone is dead at the second look, with its pipe still open', () => {
    const here = lane();
    here.signals.started({ pid: 7, wrappers: [] });
    here.exits();
    here.passes(3);
    expect(here.read()).toMatchObject({ state: 'dead' });
    const other = lane();
    other.signals.started({ pid: 7, wrappers: [] });
    other.exits();
    expect(other.read()).toMatchObject({ state: 'quiet' });
  });
  test('sleep of the machine is not its silence (L-D19)', () => {
    const here = lane();
    here.signals.started({ pid: 7, wrappers: [] });
    here.passes(60);
    here.sleeps(8 * 3_600_000);
    expect(here.read()).toMatchObject({ state: 'quiet', deadline: here.ago(-537_000) });
  });
  test('that left its result and stays is finishing, until it is stalled (L-D1)', () => {
    const here = lane();
    here.signals.started({ pid: 7, wrappers: [] });
    here.signals.completing();
    here.passes(30);
    expect(here.read()).toMatchObject({
      ...{ state: 'completing', since: here.ago(30_000), deadline: here.ago(-30_000) },
    });
    here.passes(30);
    expect(here.read()).toMatchObject({ state: 'stalled', reason: 'completing' });
  });
  test('that has ended is not called dead while the host works on what it left', () => {
    const here = lane();
    here.signals.started({ pid: 7, wrappers: [] });
    here.exits();
    here.signals.ended();
    here.passes(60);
    expect(here.read()).toMatchObject({ state: 'working_protocol', since: here.ago(60_000) });
  });
  test('is stalled when its definition says so', () => {
    const here = lane(5_400_000, false, { idleMs: 60_000 });
    here.signals.started({ pid: 7, wrappers: [] });
    here.passes(57);
    expect(here.read()).toMatchObject({ state: 'quiet', deadline: here.ago(-3_000) });
    here.passes(3);
    expect(here.read()).toMatchObject({ state: 'stalled' });
  });
  test('tells it in less than a kilobyte', () => {
    const here = lane();
    here.signals.started({ pid: 7, wrappers: [] });
    here.print('x'.repeat(1_000_000));
    expect(here.signals.read().length).toBeLessThan(1_024);
  });
});

describe('a lane with a models door (RR-14, RR-15)', () => {
  /** One whose program has asked its model. */
  function asking(modelTimeoutMs: number | null = null) {
    const here = lane(5_400_000, true);
    here.signals.started({ pid: 7, wrappers: [] }, { modelTimeoutMs });
    const hear = (signal: Heard) => here.signals.heard({ ...signal, atMs: 0 } as DoorSignal);
    const request = (call: number) =>
      hear({ kind: 'requested', call, api: 'chat', model: null, bytes: 1 });
    request(1);
    return { ...here, hear, request };
  }
  type Heard = DoorSignal extends infer One
    ? One extends unknown
      ? Omit<One, 'atMs'>
      : never
    : never;
  const ended = { kind: 'ended', call: 1, how: 'done', metered: null } as const;
  const answered = (status: number) => ({ kind: 'headers', call: 1, status }) as const;

  test('is at work while its model answers, however still it is itself', () => {
    const here = asking();
    here.hear(answered(200));
    here.hear({ kind: 'first_byte', call: 1 });
    here.passes(300, () => here.byte());
    expect(here.read()).toMatchObject({ state: 'working_protocol' });
    here.hear(ended);
    here.passes(117);
    expect(here.read()).toMatchObject({ state: 'quiet', reason: null });
    here.passes(3);
    expect(here.read()).toMatchObject({ state: 'stalled', reason: null });
  });

  test('that waits for its model says so, and since when', () => {
    const here = asking();
    here.passes(60);
    expect(here.read()).toMatchObject({
      ...{ state: 'quiet', reason: 'model_wait', since: here.ago(60_000) },
      ...{ modelSince: here.ago(60_000), deadline: here.ago(-360_000) },
    });
    here.passes(360);
    expect(here.read()).toMatchObject({ state: 'stalled', reason: 'model_wait' });
  });

  test('waits as long as its program does, where that is known, and a minute more', () => {
    const here = asking(180_000);
    here.passes(60);
    expect(here.read()).toMatchObject({ state: 'quiet', deadline: here.ago(-180_000) });
    here.passes(180);
    expect(here.read()).toMatchObject({ state: 'stalled', reason: 'model_wait' });
  });

  test('whose model refuses is not at work by the bytes of the refusals', () => {
    const here = asking();
    const refused = (call: number) => {
      here.hear({ ...answered(429), call });
      here.hear({ kind: 'first_byte', call });
      here.byte(call);
      here.signals.read();
      here.hasNoCalls();
      here.hear({ ...ended, call });
    };
    refused(1);
    here.passes(297, (second) => {
      here.request(second);
      refused(second);
    });
    expect(here.read()).toMatchObject({ state: 'quiet', reason: 'backoff' });
    here.passes(3);
    expect(here.read()).toMatchObject({ state: 'stalled', reason: 'backoff' });
  });

  test('whose calls are cut is backing off; one that hangs up on an answer is quiet', () => {
    const cut = asking();
    cut.hear({ ...ended, how: 'cut' });
    expect(cut.read()).toMatchObject({ state: 'quiet', reason: 'backoff' });
    const left = asking();
    left.hear(answered(200));
    left.hear({ ...ended, how: 'left' });
    expect(left.read()).toMatchObject({ state: 'quiet', reason: null });
  });

  test('that gives up waiting and asks again is backing off, and not for ever (RR-46)', () => {
    const here = asking();
    const givesUp = (call: number) => here.hear({ ...ended, call, how: 'left' });
    here.passes(60);
    givesUp(1);
    expect(here.read()).toMatchObject({ state: 'quiet', reason: 'backoff' });
    for (let call = 2; call <= 5; call += 1) {
      here.passes(5);
      here.request(call);
      expect(here.read()).toMatchObject({ state: 'quiet', reason: 'model_wait' });
      here.passes(60);
      givesUp(call);
    }
    here.passes(60);
    expect(here.read()).toMatchObject({ state: 'stalled', reason: 'backoff' });
  });

  test('has a tool in flight when a process comes after its first request', () => {
    const here = asking();
    here.hear(ended);
    here.shows(process(0), { ...process(0), id: '8:2' });
    here.passes(60);
    expect(here.read()).toMatchObject({
      ...{ state: 'working_tool', since: here.ago(57_000), deadline: here.ago(-123_000) },
    });
    here.passes(150);
    expect(here.read()).toMatchObject({ state: 'working_tool', deadline: here.ago(27_000) });
  });

  test('of which no byte comes is not taken for one that works', () => {
    const here = lane(5_400_000, true);
    here.signals.started({ pid: 7, wrappers: [] });
    here.passes(300);
    expect(here.read()).toMatchObject({ state: 'stalled' });
  });
});

describe('the prompt of a lane (RR-17)', () => {
  const root = { pid: 7, wrappers: [] };
  test('is sent, seen and started as its program tells, and is none before', () => {
    const here = lane();
    expect(here.read()).toMatchObject({ delivery: null });
    here.signals.started(root, { prompt: 'given' });
    here.print('{"any":"line"}\n');
    here.signals.told({ kind: 'notice' });
    expect(here.read()).toMatchObject({ delivery: 'sent' });
    here.signals.told({ kind: 'session', id: 's' });
    expect(here.read()).toMatchObject({ delivery: 'seen' });
    here.signals.told({ kind: 'thought' });
    expect(here.read()).toMatchObject({ delivery: 'started' });
    here.signals.ended();
    expect(here.read()).toMatchObject({ delivery: 'started' });
  });
  test('is not there for what its program does before it is sent', () => {
    const here = lane();
    here.signals.started(root, { prompt: 'told' });
    here.signals.told({ kind: 'started', version: null, model: null, mode: null });
    expect(here.read()).toMatchObject({ delivery: null });
    here.signals.told({ kind: 'delivery', state: 'typed' });
    expect(here.read()).toMatchObject({ delivery: 'sent' });
    here.signals.told({ kind: 'delivery', state: 'confirmed' });
    expect(here.read()).toMatchObject({ delivery: 'seen' });
  });
  test('is started by a request to the model', () => {
    const here = lane(5_400_000, true);
    here.signals.started(root, { prompt: 'given' });
    here.signals.heard({
      ...{ kind: 'requested', call: 1, api: 'chat', model: null, bytes: 1, atMs: 1_000 },
    } as DoorSignal);
    expect(here.read()).toMatchObject({ delivery: 'started' });
  });
  test('failed when the turn ended before it, or was never begun; the next turn has its own', () => {
    const here = lane();
    here.signals.ended();
    expect(here.read()).toMatchObject({ delivery: 'failed' });
    here.signals.started(root, { prompt: 'given' });
    expect(here.read()).toMatchObject({ delivery: 'sent' });
    here.signals.told({ kind: 'session', id: 's' });
    here.signals.ended();
    expect(here.read()).toMatchObject({ delivery: 'failed' });
  });
  test('of a plain command is started by what it prints, however early, and else stays sent', () => {
    const [early, late, mute] = [lane(), lane(), lane()];
    early.print('hello\n');
    for (const one of [early, late, mute]) one.signals.started(root, { prompt: 'silent' });
    expect(early.read()).toMatchObject({ delivery: 'started' });
    expect(late.read()).toMatchObject({ delivery: 'sent' });
    late.print('hello\n');
    expect(late.read()).toMatchObject({ delivery: 'started' });
    mute.passes(30);
    mute.signals.ended();
    expect(mute.read()).toMatchObject({ delivery: 'sent' });
  });
  test.each(['a beat', 'its end'])('of a mute command is started by a file, at %s', (when) => {
    const directory = mkdtempSync(join(tmpdir(), 'pawl-signals-'));
    directories.push(directory);
    const here = lane();
    here.signals.watches(directory);
    here.signals.started(root, { prompt: 'silent' });
    expect(here.read()).toMatchObject({ delivery: 'sent' });
    const file = join(directory, 'answer');
    writeFileSync(file, '');
    const later = new Date(Date.now() + 60_000);
    utimesSync(file, later, later);
    if (when === 'its end') here.signals.ended();
    expect(here.read()).toMatchObject({ delivery: 'started' });
  });
  test('is not started by what a screen paints', () => {
    const here = lane();
    here.signals.paints(() => ['welcome']);
    here.signals.started({ ...root, hasTerminal: true }, { prompt: 'silent' });
    here.print('welcome');
    expect(here.read()).toMatchObject({ delivery: 'sent' });
  });
});
