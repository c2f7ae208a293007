/**
 * Goal: what takes too long to happen in a test is told as it is, too: ten minutes of a tool, an
 * hour of a build, a night's sleep of the machine. Method: the lane host's own signals over a clock
 * of the test, a beat every three seconds, read as `pawl status --json` reads them.
 */
import { describe, expect, test } from 'vitest';
import { livenessOf } from '../../src/cli/liveness.ts';
import type { Instant } from '../../src/domain/ids.ts';
import type { ProcessLook } from '../../src/domain/liveness/evidence.ts';
import { laneSignals } from '../../src/host/lane-signals.ts';
import type { RunView } from '../../src/ports/client.ts';
import type { LaneEvent } from '../../src/ports/lane-event.ts';
import type { CallInFlight, DoorSignal } from '../../src/ports/models-door.ts';
import { faultsOf, rowOf, type Shown, type Truth } from './judging.ts';
import { note } from './table.ts';

const bootMs = 1_800_000_000_000;
const beatS = 3;
type Unsent<T> = T extends unknown ? Omit<T, 'atMs'> : never;

/** A lane whose world is what the test says, and what is shown of it. */
function lane(hasDoor: boolean) {
  let atS = 0;
  let processes: readonly ProcessLook[] = [look('7:1')];
  let isRootAlive = true;
  let inFlight: readonly CallInFlight[] = [];
  let atBegin = 0;
  const shown: Shown[] = [];
  const signals = laneSignals({
    clock: {
      monotonicMs: () => atS * 1_000,
      now: () => (bootMs + atS * 1_000) as Instant,
      sleep: () => Promise.resolve(),
    },
    timeoutMs: 5_400_000,
    look: () => ({ isRootAlive, processes }),
    ...(hasDoor ? { door: { state: () => ({ inFlight }) } } : {}),
  });
  signals.started({ pid: 7, wrappers: [] });
  return {
    print: (text: string) => signals.printed(Buffer.from(text)),
    tell: (event: LaneEvent) => signals.told(event),
    hear: (signal: Unsent<DoorSignal>) => signals.heard({ ...signal, atMs: 0 } as DoorSignal),
    shows: (...some: readonly ProcessLook[]) => {
      processes = some;
    },
    exits: () => {
      isRootAlive = false;
    },
    /** A byte of the answer to the open call. */
    byte: () => {
      const call = { call: 1, api: 'chat', model: null, sinceMs: 0 } as const;
      inFlight = [{ ...call, lastByteMs: atS * 1_000, phase: 'streaming' }];
    },
    /** Forgets what was shown: the condition begins now. */
    begins: () => {
      shown.length = 0;
      atBegin = atS;
    },
    sleeps: (seconds: number) => {
      atS += seconds;
    },
    passes(seconds: number, each: (second: number) => void = () => undefined) {
      for (let second = beatS; second <= seconds; second += beatS) {
        atS += beatS;
        each(second);
        shown.push({ atS: atS - atBegin, state: stateIn(signals.read()) });
      }
    },
    shown,
  };
}

function look(id: string, cpuTicks = 0, state = 'S'): ProcessLook {
  return { id, state, cpuTicks, written: null };
}

/** As `status --json` has it. */
function stateIn(signals: string): string {
  const execution = { status: 'RUNNING', signals, dispatchedAt: bootMs };
  const told = livenessOf({ execution } as unknown as RunView);
  return told?.reason == null ? (told?.state ?? 'nothing') : `${told.state}/${told.reason}`;
}

type Lane = ReturnType<typeof lane>;
interface Long {
  readonly title: string;
  readonly happens: (here: Lane) => void;
  readonly truth: Truth;
}

const frame = (second: number) => '|/-\\'[second % 4] ?? '';
const letters = (n: number) => [...String(n)].map((digit) => 'abcdefghij'[Number(digit)]).join('');
const working = ['working_local', 'working_protocol'];
const stalled = (ruleS: number): Truth => ({
  is: ['stalled'],
  first: ['quiet', ...working],
  ruleS,
});
const always = (...is: readonly string[]): Truth => ({ is, first: is, ruleS: 0 });

const ofCommands: readonly Long[] = [
  { title: 'silent stall', happens: (here) => here.passes(900), truth: stalled(600) },
  {
    title: 'repainting stall',
    happens: (here) => here.passes(900, (s) => here.print(`\r${frame(s)} working (${s}s)`)),
    truth: stalled(600),
  },
  {
    title: 'long honest build, 1 h',
    happens: (here) => here.passes(3_600, (s) => here.shows(look('7:1', s * 90, 'R'))),
    truth: { ...always('working_local'), first: ['quiet'], ruleS: 10 },
  },
  {
    title: 'dead child, open pipe',
    happens: (here) => {
      here.passes(30);
      here.begins();
      here.exits();
      here.passes(60);
    },
    truth: { is: ['dead'], first: ['quiet'], ruleS: 2 },
  },
  {
    title: 'SIGSTOP',
    happens: stopped,
    truth: { is: ['stalled/frozen'], first: working, ruleS: 2 },
  },
  {
    title: 'machine sleep, 8 h',
    happens: (here) => {
      here.passes(60);
      here.sleeps(8 * 3_600);
      // Nobody watched: none of it is silence, and none of it is waited for.
      here.begins();
      here.passes(60);
    },
    truth: always('quiet'),
  },
  {
    title: 'model trickle, 10 min',
    happens: (here) =>
      here.passes(600, (s) => s % 6 === 0 && here.print(`sentence ${letters(s)} of it\n`)),
    truth: { ...always('working_local'), first: ['quiet'], ruleS: 20 },
  },
];

const ofAgents: readonly Long[] = [
  { title: 'silent stall', happens: (here) => here.passes(300), truth: stalled(120) },
  {
    title: 'repainting stall',
    happens: (here) =>
      here.passes(300, (s) => {
        here.print(`\r${frame(s)} working (${s}s)`);
        here.tell({ kind: 'notice' });
      }),
    truth: stalled(120),
  },
  {
    title: 'long honest build, 25 min',
    happens: (here) => {
      here.tell(tool);
      here.begins();
      here.passes(1_500, (s) => here.shows(look('7:1'), look('8:2', s * 90, 'R')));
    },
    truth: { ...always('working_tool'), first: ['working_protocol'], ruleS: 30 },
  },
  {
    title: 'tool in flight, 10 min',
    happens: (here) => {
      here.tell(tool);
      here.begins();
      here.passes(597);
    },
    truth: { ...always('working_tool'), first: ['working_protocol'], ruleS: 30 },
  },
  {
    title: 'tool in flight, for ever',
    happens: (here) => {
      here.tell(tool);
      here.begins();
      here.passes(900, (s) => here.print(`\r${frame(s)} working (${s}s)`));
    },
    truth: {
      ...{ is: ['stalled/tool_progress'], first: ['working_tool', 'working_protocol'] },
      ruleS: 600,
    },
  },
  {
    title: 'SIGSTOP',
    happens: stopped,
    truth: { is: ['stalled/frozen'], first: working, ruleS: 2 },
  },
  {
    title: 'machine sleep, 8 h',
    happens: (here) => {
      here.tell(tool);
      here.passes(60);
      here.sleeps(8 * 3_600);
      // Nobody watched: none of it is silence, and none of it is waited for.
      here.begins();
      here.passes(60);
    },
    truth: always('working_tool'),
  },
  {
    title: 'model hang, 6 min',
    happens: (here) => {
      here.hear({ kind: 'requested', call: 2, api: 'chat', model: null, bytes: 1 });
      here.passes(360);
    },
    truth: { is: ['quiet/model_wait'], first: ['working_protocol'], ruleS: 30 },
  },
  {
    title: 'model hang, for ever',
    happens: (here) => {
      here.hear({ kind: 'requested', call: 2, api: 'chat', model: null, bytes: 1 });
      here.passes(600);
    },
    truth: {
      ...{ is: ['stalled/model_wait'], first: ['quiet/model_wait', 'working_protocol'] },
      ruleS: 420,
    },
  },
  {
    title: 'model trickle, 10 min',
    happens: (here) => {
      here.hear({ kind: 'requested', call: 1, api: 'chat', model: null, bytes: 1 });
      here.hear({ kind: 'headers', call: 1, status: 200 });
      here.passes(600, (s) => s % 6 === 0 && here.byte());
    },
    truth: always('working_protocol'),
  },
];

const tool: LaneEvent = { kind: 'tool_started', id: 't1', name: 'npm test', timeoutMs: null };

/** It printed until then. */
function stopped(here: Lane): void {
  here.passes(60, (s) => here.print(`looked at file ${letters(s)}\n`));
  here.begins();
  here.shows(look('7:1', 0, 'T'));
  here.passes(120);
}

/** Its program has asked its model once, and had an answer. */
function agent(): Lane {
  const here = lane(true);
  here.hear({ kind: 'requested', call: 0, api: 'chat', model: null, bytes: 1 });
  here.hear({ kind: 'headers', call: 0, status: 200 });
  here.hear({ kind: 'first_byte', call: 0 });
  here.hear({ kind: 'ended', call: 0, how: 'done', metered: null });
  here.tell({ kind: 'text', text: 'I shall see.' });
  return here;
}

function tried(name: string, here: Lane, { title, happens, truth }: Long): readonly string[] {
  here.begins();
  happens(here);
  const of = { condition: title, lane: name, how: 'fake clock' } as const;
  const row = rowOf(of, here.shown, truth);
  note(row);
  return faultsOf(row);
}

describe('long conditions (RR-6, RR-14, RR-15, RR-46)', () => {
  test.each(ofCommands)('a command: $title', (long) => {
    expect(tried('command', lane(false), long)).toEqual([]);
  });
  test.each(ofAgents)('an agent with events behind the door: $title', (long) => {
    expect(tried('fake agent', agent(), long)).toEqual([]);
  });
});
