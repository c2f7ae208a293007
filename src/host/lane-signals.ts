/**
 * What a lane without a protocol shows of its life: rows that it prints, files that change in its
 * work tree, its processes. The rule of `domain/liveness` says what that comes to; here it is only
 * observed, at every beat, and told in the heartbeat. A projection for people and for later
 * recovery; it ends nothing (L-D7, L-D8).
 */
import { classify, type Liveness, observe } from '../domain/liveness/classify.ts';
import {
  beginDelivery,
  type Delivery,
  type DeliverySign,
  delivered,
  type PromptWay,
} from '../domain/liveness/delivery.ts';
import type { TreeLook } from '../domain/liveness/evidence.ts';
import {
  figuresWith,
  type LivenessFigures,
  type LivenessOverrides,
} from '../domain/liveness/figures.ts';
import { beginWatch, type LaneWatch, type Observation } from '../domain/liveness/watch.ts';
import type { Clock } from '../ports/clock.ts';
import type { LaneEvent } from '../ports/lane-event.ts';
import type { DoorSignal, DoorState } from '../ports/models-door.ts';
import { doorEars, type Unseen } from './door-ears.ts';
import { heardOf, promptSignOf } from './lane-ears.ts';
import { outputRows } from './output-rows.ts';
import { stallWatch } from './stall-watch.ts';
import { type LaneRoot, lookAtTree } from './tree-look.ts';
import { newestChange } from './work-tree-change.ts';

/** One look comes with each beat, three seconds apart at most. */
const lookEveryMs = 3_000;

export interface LaneSignals {
  printed(bytes: Uint8Array): void;
  /** It paints on a terminal: what it shows is told by its rows, not by what it prints. */
  paints(rows: () => readonly string[]): void;
  /** The host typed on its terminal, which echoes. */
  typed(): void;
  /** The work tree whose files are looked at. */
  watches(directory: string): void;
  /** What the models door tells of the lane's calls. */
  heard(signal: DoorSignal): void;
  /** What the lane's program tells of its turn. */
  told(event: LaneEvent): void;
  /** A human or a rule answered its request. */
  answered(): void;
  /** The agent runs in this tree, for a turn of its own. */
  started(root: LaneRoot, terms?: TurnTerms): void;
  /** Nobody waits for the answer to that question any more, though the engine may have it. */
  left(request: string): void;
  /** It was given a push, so many by now. */
  nudged(count: number): void;
  /** It left its result and stays. */
  completing(): void;
  /** It is over and its processes are gone; what follows is the host's own work. */
  ended(): void;
  /** JSON of at most 1 KB. */
  read(): string;
}

export interface TurnTerms {
  /** Absent: `silent`. */
  readonly prompt?: PromptWay;
  /** How long the agent waits for a model by itself; null: not known. */
  readonly modelTimeoutMs?: number | null;
}

export interface LaneSignalsOptions {
  readonly clock: Clock;
  /** How long the lane may take. */
  readonly timeoutMs: number;
  /** Of the definition; absent: the usual figures. */
  readonly liveness?: LivenessOverrides;
  /** Present when the lane's calls of models go through a door. */
  readonly door?: { readonly state: () => Pick<DoorState, 'inFlight'> | null };
  /** How often it may be given a push; absent: never. */
  readonly nudgesMax?: number;
  /** Null where nothing can be said. */
  readonly look?: (root: LaneRoot) => TreeLook | null;
}

type Stage = 'preparing' | 'live' | 'completing' | 'ended';

export function laneSignals(options: LaneSignalsOptions): LaneSignals {
  const { clock } = options;
  const figures = { ...figuresWith(options.liveness ?? {}), lookEveryMs };
  const seen = observing(options, figures);
  let stage: Stage = 'preparing';
  let since = clock.monotonicMs();
  let printedBytes = 0;
  let lastOutputMs: number | null = null;
  const prompt = promptWatch();
  const stall = stallWatch(clock, options.nudgesMax ?? 0);
  let isPainting = false;
  let left: string | null = null;
  const enter = (next: Stage) => {
    if (stage !== next) since = clock.monotonicMs();
    stage = next;
  };
  const look = (around: () => void) => {
    const { lastFileMs } = seen.watch();
    around();
    if (seen.watch().lastFileMs !== lastFileMs) prompt.see('work');
  };
  return {
    printed(bytes) {
      printedBytes += bytes.length;
      lastOutputMs = clock.monotonicMs();
      // A screen is painted whether there is work or not.
      if (!isPainting) prompt.printed();
      seen.printed(bytes);
    },
    paints(rows) {
      isPainting = true;
      seen.paints(rows);
    },
    typed: () => seen.see({ kind: 'wrote' }),
    watches: seen.watches,
    heard(signal) {
      if (signal.kind === 'requested') prompt.see('work');
      seen.heard(signal);
    },
    told(event) {
      const sign = promptSignOf(event);
      if (sign !== null) prompt.see(sign);
      const heard = heardOf(event);
      if (heard !== null) seen.see(heard);
    },
    answered: () => seen.see({ kind: 'answered' }),
    started(agent, { prompt: way = 'silent', modelTimeoutMs = null } = {}) {
      enter('live');
      prompt.begin(way);
      seen.begin(agent, modelTimeoutMs);
    },
    left(request) {
      left = request;
    },
    nudged: stall.nudged,
    completing() {
      enter('completing');
      seen.see({ kind: 'lifecycle', state: 'completing' });
    },
    ended() {
      if (stage === 'live' || stage === 'completing') look(seen.lookAtFiles);
      prompt.see('ended');
      enter('ended');
    },
    read() {
      if (stage === 'live' || stage === 'completing') look(seen.lookAround);
      const at = { watch: seen.watch(), clock, figures };
      const output = { lastOutputAt: wallAt(clock, lastOutputMs), printedBytes };
      const told = { ...projected(stage, since, at), delivery: prompt.state() };
      stall.look(told.state === 'stalled');
      const withdrawn = left === null ? {} : { withdrawn: left };
      return JSON.stringify({ ...told, ...stall.told(), ...output, ...signsOf(at), ...withdrawn });
    },
  };
}

/** What is known of the prompt of the turn; null before there is one, or before it is sent. */
function promptWatch() {
  let delivery: Delivery = { way: 'told', state: null };
  let hasPrinted = false;
  const see = (sign: DeliverySign) => {
    delivery = delivered(delivery, sign);
  };
  return {
    see,
    state: () => delivery.state,
    begin(way: PromptWay) {
      delivery = beginDelivery(way);
      // Its first output may come before it is told that it runs.
      if (hasPrinted && way === 'silent') see('work');
    },
    printed() {
      hasPrinted = true;
      if (delivery.way === 'silent') see('work');
    },
  };
}

/** Feeds the rule with what is to be seen of a lane. */
function observing(options: LaneSignalsOptions, figures: LivenessFigures) {
  const { clock, timeoutMs, door, look = lookAtTree } = options;
  const rows = outputRows();
  let painted: (() => readonly string[]) | null = null;
  let firstPaintMs: number | null = null;
  let workTree: string | null = null;
  let root: LaneRoot | null = null;
  let isRootMissed = false;
  let lastRowsMs = Number.NEGATIVE_INFINITY;
  const terms = { hasDoor: door !== undefined, modelTimeoutMs: null, timeoutMs };
  let watch = beginWatch(terms, clock.monotonicMs());

  const see = (seen: Unseen) => {
    watch = observe(watch, { ...seen, atMs: clock.monotonicMs() } as Observation, figures);
  };
  const seeRows = () => {
    lastRowsMs = clock.monotonicMs();
    see({ kind: 'screen', rows: painted === null ? rows.take() : painted() });
  };
  /** A process that has just ended may not have been told yet; only a second look makes it dead. */
  const seeProcesses = (of: LaneRoot) => {
    const tree = look(of);
    if (tree === null) return;
    if (tree.isRootAlive || isRootMissed) see({ kind: 'processes', look: tree });
    isRootMissed = !tree.isRootAlive;
  };
  /**
   * Where no door tells of a first request, a program that paints is itself once its screen was
   * there for a while: its own CPU says nothing then, that of what it starts later does.
   */
  const tellTools = () => {
    if (door !== undefined || firstPaintMs === null || watch.evidence.baseline !== null) return;
    const sinceMs = clock.monotonicMs() - firstPaintMs;
    if (watch.evidence.look !== null && sinceMs >= figures.toolChildAgeMs) {
      see({ kind: 'baseline' });
    }
  };
  const ears = doorEars(door?.state ?? (() => null), see);
  const lookAtFiles = () => {
    if (workTree !== null) see({ kind: 'files', newest: newestChange(workTree) });
  };
  const lookAround = () => {
    seeRows();
    ears.look();
    lookAtFiles();
    if (root !== null) seeProcesses(root);
    tellTools();
  };
  return {
    see,
    lookAround,
    lookAtFiles,
    heard(signal: DoorSignal) {
      // Its first request tells the program's own processes from those of its tools.
      if (signal.kind === 'requested' && root !== null && watch.evidence.baseline === null) {
        seeProcesses(root);
      }
      ears.heard(signal);
    },
    watch: () => watch,
    watches(directory: string) {
      workTree = directory;
    },
    begin(of: LaneRoot, modelTimeoutMs: number | null) {
      root = of;
      watch = beginWatch({ ...terms, modelTimeoutMs }, clock.monotonicMs());
      see({ kind: 'lifecycle', state: 'live' });
      lookAround();
    },
    paints(rowsOf: () => readonly string[]) {
      painted = rowsOf;
    },
    printed(bytes: Uint8Array) {
      if (painted === null) rows.push(bytes);
      else firstPaintMs ??= clock.monotonicMs();
      // Samples closer together than this are not counted anyway.
      if (clock.monotonicMs() - lastRowsMs >= figures.screenApartMs) seeRows();
    },
  };
}

function signsOf({ watch, clock }: At) {
  const { evidence, lastFileMs } = watch;
  return {
    lastFileAt: wallAt(clock, rawOf(watch, lastFileMs)),
    lastCpuAt: wallAt(clock, rawOf(watch, evidence.lastCpuMs)),
    cpuTicks: evidence.look?.processes.reduce((sum, one) => sum + one.cpuTicks, 0) ?? 0,
  };
}

interface At {
  readonly watch: LaneWatch;
  readonly clock: Clock;
  readonly figures: LivenessFigures;
}

/** State, since when and until when, on the wall clock: what a viewer shows. */
function projected(stage: Stage, since: number, at: At) {
  const sinceAt = wallAt(at.clock, since);
  if (stage === 'preparing') return { state: 'starting', since: sinceAt };
  // The host's own work on what the lane left: nothing of the lane is waited for.
  if (stage === 'ended') return { state: 'working_protocol', since: sinceAt };
  return { ...ofLiveness(classify(at.watch, at.figures), at.clock.now()), ...ofModel(at) };
}

/** Since when the lane waits for a model; a wait that is shorter than a look is none. */
function ofModel({ watch, clock }: At) {
  const { inFlight, lastByteMs, nowMs } = watch;
  const sinceMs = Math.max(Math.min(...inFlight.values()), lastByteMs ?? 0);
  const isWaiting = inFlight.size > 0 && nowMs - sinceMs >= lookEveryMs;
  return isWaiting ? { modelSince: wallAt(clock, rawOf(watch, sinceMs)) } : {};
}

function ofLiveness(liveness: Liveness, now: number) {
  const { state, reason, forMs, leftMs, lifecycle, tool } = liveness;
  const isFailing = state === 'stalled' || state === 'dead';
  if (lifecycle.state === 'completing' && lifecycle.leftMs !== null && !isFailing) {
    const deadline = Math.round(now + lifecycle.leftMs);
    return { state: 'completing', since: Math.round(now - lifecycle.forMs), deadline };
  }
  if (state === 'working_tool' && tool !== null) {
    // What people want to know of a tool is when it is overdue, not when it is called stuck.
    const deadline = Math.round(now + tool.leftMs);
    return { state, since: Math.round(now - tool.forMs), deadline, tool: tool.name };
  }
  return {
    state,
    reason,
    since: Math.round(now - forMs),
    deadline: leftMs === null ? null : Math.round(now + leftMs),
  };
}

/** From the watched clock to the monotonic one. */
function rawOf({ rawMs, nowMs }: LaneWatch, at: number | null): number | null {
  return at === null ? null : rawMs - (nowMs - at);
}

function wallAt(clock: Clock, at: number | null): number | null {
  return at === null ? null : Math.round(clock.now() - clock.monotonicMs() + at);
}
