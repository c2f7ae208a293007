/**
 * What is remembered of a lane's signals, and how each observation changes it. Pure: times come in
 * with the observations, from one monotonic clock; nothing here knows what day it is.
 *
 * Invariants:
 *   W1. The watched clock stands while nobody watched (a gap between observations much longer than
 *       planned: sleep of the machine, a stopped host) and while a human is waited for.
 *   W2. A notice (a heartbeat, a retry, a progress tick that comes whatever happens) changes
 *       nothing; a poll of a tool takes back what its own request looked like.
 *   W3. Everything that is remembered is bounded.
 */
import { unreachable } from '../../kernel/invariant.ts';
import { type Evidence, looked, noEvidence, type TreeLook, withBaseline } from './evidence.ts';
import type { LivenessFigures } from './figures.ts';
import { blankScreen, echoing, resized, type ScreenWatch, sampled } from './screen.ts';

export type Lifecycle = 'starting' | 'live' | 'completing' | 'idle' | 'terminal';

export type Observation = {
  readonly atMs: number;
} /** An event that is work: text, thought, a tool's start or end. */ & (
  | { readonly kind: 'work' }
  /** An event that is none, and so says nothing. */
  | { readonly kind: 'notice' }
  /** The model only asked how a running tool is doing. */
  | { readonly kind: 'poll' }
  | {
      readonly kind: 'tool_started';
      readonly id: string;
      readonly name: string;
      readonly timeoutMs: number | null;
    }
  | { readonly kind: 'tool_ended'; readonly id: string }
  | { readonly kind: 'turn_ended' }
  /** A human is asked; `tool` waits for the answer. */
  | { readonly kind: 'asked'; readonly tool: string | null }
  | { readonly kind: 'answered' }
  | { readonly kind: 'lifecycle'; readonly state: Lifecycle }
  /** The models door: a request began; bytes of a good answer came; a request ended. */
  | { readonly kind: 'request'; readonly call: number }
  | { readonly kind: 'bytes' }
  | { readonly kind: 'response'; readonly call: number; readonly isOk: boolean }
  | { readonly kind: 'processes'; readonly look: TreeLook }
  /** What runs now is the program itself; for lanes without a door. */
  | { readonly kind: 'baseline' }
  /** Newest change in the work tree (never in the agent's home), of any clock that only grows. */
  | { readonly kind: 'files'; readonly newest: number }
  /** The rows of the screen, or lines of a plain output. */
  | { readonly kind: 'screen'; readonly rows: readonly string[] }
  | { readonly kind: 'resized' }
  /** The host wrote to the terminal. */
  | { readonly kind: 'wrote' }
);

export interface OpenTool {
  readonly name: string;
  readonly sinceMs: number;
  readonly timeoutMs: number | null;
}

/** All times are of the watched clock, but for those called raw. */
export interface LaneWatch {
  readonly hasDoor: boolean;
  /** How long the program itself waits for a model; null: not known. */
  readonly modelTimeoutMs: number | null;
  /** How long the lane as a whole may take; null: not said. */
  readonly timeoutMs: number | null;
  readonly nowMs: number;
  readonly rawMs: number;
  readonly lifecycle: Lifecycle;
  readonly lifecycleSinceMs: number;
  readonly lastWorkMs: number | null;
  /** What `lastWorkMs` was before the newest request: what a poll goes back to. */
  readonly workBeforeRequestMs: number | null;
  readonly lastByteMs: number | null;
  readonly inFlight: ReadonlyMap<number, number>;
  /** The first failure of a series without a good answer in between. */
  readonly failingSinceMs: number | null;
  readonly tools: ReadonlyMap<string, OpenTool>;
  /** The newest end of a tool, of a turn, of a question: silence begins there at the earliest. */
  readonly lastEndMs: number | null;
  readonly asked: { readonly sinceRawMs: number; readonly tool: string | null } | null;
  readonly evidence: Evidence;
  readonly newestFile: number | null;
  readonly lastFileMs: number | null;
  readonly screen: ScreenWatch;
}

/** More open requests or tools than this at once are not told apart; the oldest is forgotten. */
const openMax = 64;

export interface LaneTerms {
  readonly hasDoor: boolean;
  readonly modelTimeoutMs: number | null;
  readonly timeoutMs: number | null;
}

export function beginWatch(terms: LaneTerms, atMs: number): LaneWatch {
  return {
    ...terms,
    nowMs: 0,
    rawMs: atMs,
    lifecycle: 'starting',
    lifecycleSinceMs: 0,
    lastWorkMs: null,
    workBeforeRequestMs: null,
    lastByteMs: null,
    inFlight: new Map(),
    failingSinceMs: null,
    tools: new Map(),
    lastEndMs: null,
    asked: null,
    evidence: noEvidence,
    newestFile: null,
    lastFileMs: null,
    screen: blankScreen,
  };
}

/** Lets time pass; `isHumanAwaited` says whether the clock stood. */
export function passed(
  watch: LaneWatch,
  atMs: number,
  isHumanAwaited: boolean,
  figures: LivenessFigures,
): LaneWatch {
  const gapMs = Math.max(0, atMs - watch.rawMs);
  const isWatched = gapMs <= figures.lookEveryMs * figures.gapFactor;
  const watchedMs = isWatched ? gapMs : figures.lookEveryMs;
  return {
    ...watch,
    rawMs: watch.rawMs + gapMs,
    nowMs: watch.nowMs + (isHumanAwaited ? 0 : watchedMs),
  };
}

/** Applies an observation at the watch's own time. */
export function applied(watch: LaneWatch, seen: Observation, figures: LivenessFigures): LaneWatch {
  const { nowMs } = watch;
  switch (seen.kind) {
    case 'work':
    case 'poll':
    case 'notice':
    case 'tool_started':
    case 'tool_ended':
    case 'turn_ended':
    case 'asked':
    case 'answered':
      return spoken(watch, seen);
    case 'request':
    case 'bytes':
    case 'response':
      return passedDoor(watch, seen);
    case 'lifecycle':
      return watch.lifecycle === seen.state
        ? watch
        : { ...watch, lifecycle: seen.state, lifecycleSinceMs: nowMs };
    case 'processes':
      return { ...watch, evidence: looked(watch.evidence, seen.look, nowMs, figures) };
    case 'baseline':
      return { ...watch, evidence: withBaseline(watch.evidence) };
    case 'files':
      return withFiles(watch, seen.newest);
    case 'screen':
      return { ...watch, screen: sampled(watch.screen, seen.rows, nowMs, figures) };
    case 'resized':
      return { ...watch, screen: resized(watch.screen) };
    case 'wrote':
      return { ...watch, screen: echoing(watch.screen, nowMs, figures) };
    default:
      return unreachable(seen);
  }
}

type Of<K extends Observation['kind']> = Extract<Observation, { readonly kind: K }>;
type Spoken = Of<
  'work' | 'poll' | 'notice' | 'tool_started' | 'tool_ended' | 'turn_ended' | 'asked' | 'answered'
>;

/** What the protocol said. */
function spoken(watch: LaneWatch, seen: Spoken): LaneWatch {
  const { nowMs } = watch;
  switch (seen.kind) {
    case 'notice':
      return watch;
    case 'work':
      return { ...watch, lastWorkMs: nowMs };
    case 'poll':
      return watch.lastByteMs === null
        ? watch
        : { ...watch, lastWorkMs: watch.workBeforeRequestMs };
    case 'tool_started': {
      const { id, name, timeoutMs } = seen;
      // Updates repeat the start of a tool; its clock is reset by nothing.
      if (watch.tools.has(id)) return watch;
      const tools = adding(watch.tools, id, { name, timeoutMs, sinceMs: nowMs });
      return { ...watch, lastWorkMs: nowMs, tools };
    }
    case 'tool_ended':
      return watch.tools.has(seen.id)
        ? { ...watch, lastWorkMs: nowMs, lastEndMs: nowMs, tools: without(watch.tools, seen.id) }
        : watch;
    case 'turn_ended':
      return { ...watch, lastEndMs: nowMs, tools: new Map(), failingSinceMs: null };
    case 'asked':
      return { ...watch, asked: { sinceRawMs: watch.rawMs, tool: seen.tool } };
    case 'answered':
      return answered(watch);
  }
}

/** The tool that waited for the answer begins only now. */
function answered(watch: LaneWatch): LaneWatch {
  const { asked, nowMs } = watch;
  if (asked === null) return watch;
  const waited = asked.tool === null ? undefined : watch.tools.get(asked.tool);
  const tools =
    asked.tool === null || waited === undefined
      ? watch.tools
      : new Map([...watch.tools, [asked.tool, { ...waited, sinceMs: nowMs }]]);
  return { ...watch, asked: null, lastEndMs: nowMs, tools };
}

/** What the models door saw. The first request tells the program's own processes from its tools. */
function passedDoor(watch: LaneWatch, seen: Of<'request' | 'bytes' | 'response'>): LaneWatch {
  const { nowMs } = watch;
  if (seen.kind === 'bytes') {
    return { ...watch, lastWorkMs: nowMs, lastByteMs: nowMs, failingSinceMs: null };
  }
  if (seen.kind === 'request') {
    const { evidence } = watch;
    return {
      ...watch,
      workBeforeRequestMs: watch.lastWorkMs,
      inFlight: adding(watch.inFlight, seen.call, nowMs),
      evidence: evidence.baseline === null ? withBaseline(evidence) : evidence,
    };
  }
  return {
    ...watch,
    inFlight: without(watch.inFlight, seen.call),
    failingSinceMs: seen.isOk ? null : (watch.failingSinceMs ?? nowMs),
    lastEndMs: seen.isOk ? nowMs : watch.lastEndMs,
  };
}

/** The first look only learns where the tree stands. */
function withFiles(watch: LaneWatch, newest: number): LaneWatch {
  const { newestFile, nowMs } = watch;
  if (newestFile === null) return { ...watch, newestFile: newest };
  return newest > newestFile ? { ...watch, newestFile: newest, lastFileMs: nowMs } : watch;
}

function adding<K, V>(open: ReadonlyMap<K, V>, key: K, value: V): ReadonlyMap<K, V> {
  const next = [...open, [key, value] as const];
  return new Map(next.slice(-openMax));
}

function without<K, V>(open: ReadonlyMap<K, V>, key: K): ReadonlyMap<K, V> {
  return new Map([...open].filter(([other]) => other !== key));
}
