/**
 * What a lane is doing now, as the first line that holds of nine (DESIGN §7, research/liveness.md
 * §5). A projection over its signals, never a stored state; it ends nothing.
 *
 * Invariants:
 *   L1. A program that is gone is dead at once, whatever else was seen.
 *   L2. A frozen tree is stalled even if the door or the protocol look alive.
 *   L3. A working state has a sign within its window, or an open tool within its deadlines.
 *   L4. While work of the protocol is within its window the lane is never called stalled, unless
 *       frozen; nor while screen or files change, unless a tool is open.
 *   L5. Nothing lasts: without a new sign every state becomes stalled, or waits for a human.
 *   L6. Notices and polls change nothing.
 *   L7. Time that nobody watched is not silence.
 *   L8. All clocks stand while a human is waited for.
 *   L9. The progress clock of a tool is reset by its CPU, its output and changed files alone, its
 *       ceiling by nothing: a lane that repaints for ever is found.
 *   L10. Without new signs a lane only falls: working, quiet, stalled; it never rises.
 */
import { toolChildSince } from './evidence.ts';
import type { LivenessFigures } from './figures.ts';
import { isProducing } from './screen.ts';
import {
  applied,
  type LaneWatch,
  type Lifecycle,
  type Observation,
  type OpenTool,
  passed,
} from './watch.ts';

export type LivenessState =
  | 'working_protocol'
  | 'working_local'
  | 'working_tool'
  | 'quiet'
  | 'stalled'
  | 'dead';

export type LivenessReason =
  /** The model was asked and says nothing. */
  | 'model_wait'
  /** The model refused; the program waits before it tries again. */
  | 'backoff'
  /** A human is asked. No clock runs. */
  | 'awaiting_input'
  /** Every process is stopped. */
  | 'frozen'
  /** A tool shows neither CPU nor output nor changed files. */
  | 'tool_progress'
  /** A tool runs for longer than it is believed. */
  | 'tool_ceiling'
  /** The program was started and did nothing yet. */
  | 'starting'
  /** The turn ended and the process stays. */
  | 'completing';

export type ToolSign = 'cpu' | 'output' | 'files' | 'screen';

export interface ToolView {
  /** Null: known by its process alone. */
  readonly name: string | null;
  readonly forMs: number;
  /** Until it is overdue; below zero it is. */
  readonly leftMs: number;
  readonly signs: readonly ToolSign[];
}

export interface Liveness {
  readonly state: LivenessState;
  readonly reason: LivenessReason | null;
  /** Since the last sign of work; for tools since their start, for waits since they began. */
  readonly forMs: number;
  /** Until a tool, a wait or a silence is called stalled; null: it already is, or has no limit. */
  readonly leftMs: number | null;
  readonly tool: ToolView | null;
  readonly lifecycle: {
    readonly state: Lifecycle;
    readonly forMs: number;
    /** Until this stage has lasted too long; below zero it has. Null: other clocks bound it. */
    readonly leftMs: number | null;
  };
}

/** Observes, at the time of the observation. */
export function observe(watch: LaneWatch, seen: Observation, figures: LivenessFigures): LaneWatch {
  return applied(at(watch, seen.atMs, figures), seen, figures);
}

/** The lane at this time, with nothing more observed. */
export function livenessAt(watch: LaneWatch, atMs: number, figures: LivenessFigures): Liveness {
  return classify(at(watch, atMs, figures), figures);
}

function at(watch: LaneWatch, atMs: number, figures: LivenessFigures): LaneWatch {
  const isHumanAwaited = found(watch, figures).reason === 'awaiting_input';
  return passed(watch, atMs, isHumanAwaited, figures);
}

export function classify(watch: LaneWatch, figures: LivenessFigures): Liveness {
  const { lifecycle: state, lifecycleSinceMs, nowMs } = watch;
  const forMs = nowMs - lifecycleSinceMs;
  const leftMs = limitedStage(watch, figures)?.leftMs ?? null;
  return { tool: null, ...found(watch, figures), lifecycle: { state, forMs, leftMs } };
}

/** A stage of the lifecycle that has a limit of its own; null for those that other clocks bound. */
function limitedStage({ lifecycle, lifecycleSinceMs, nowMs }: LaneWatch, figures: LivenessFigures) {
  const limits = { starting: figures.startingMs, completing: figures.completingMs };
  if (lifecycle !== 'starting' && lifecycle !== 'completing') return null;
  const forMs = nowMs - lifecycleSinceMs;
  return { stage: lifecycle, forMs, leftMs: limits[lifecycle] - forMs } as const;
}

interface Found {
  readonly state: LivenessState;
  readonly reason: LivenessReason | null;
  readonly forMs: number;
  readonly leftMs: number | null;
  readonly tool?: ToolView;
}
type Line = (watch: LaneWatch, figures: LivenessFigures) => Found | null;

const lines: readonly Line[] = [
  dead,
  frozen,
  protocol,
  tool,
  local,
  modelWait,
  backoff,
  awaitingInput,
];

function found(watch: LaneWatch, figures: LivenessFigures): Found {
  for (const line of lines) {
    const held = line(watch, figures);
    if (held !== null) return held;
  }
  return silent(watch, figures);
}

function dead(watch: LaneWatch): Found | null {
  const isGone = watch.evidence.look?.isRootAlive === false || watch.lifecycle === 'terminal';
  if (!isGone) return null;
  return { state: 'dead', reason: null, forMs: watch.nowMs - undoubtedMs(watch), leftMs: null };
}

function frozen({ evidence, nowMs }: LaneWatch, { frozenMs }: LivenessFigures): Found | null {
  const { frozenSinceMs } = evidence;
  if (frozenSinceMs === null || nowMs - frozenSinceMs < frozenMs) return null;
  return { state: 'stalled', reason: 'frozen', forMs: nowMs - frozenSinceMs, leftMs: null };
}

function protocol({ lastWorkMs, nowMs }: LaneWatch, figures: LivenessFigures): Found | null {
  if (!isWithin(lastWorkMs, nowMs, figures.workWindowMs)) return null;
  return { ...working('working_protocol'), forMs: nowMs - lastWorkMs, leftMs: null };
}

const working = (state: LivenessState) => ({ state, reason: null });

function isWithin(atMs: number | null, nowMs: number, windowMs: number): atMs is number {
  return atMs !== null && nowMs - atMs <= windowMs;
}

/** An open tool, by the protocol or else by its process. */
function tool(watch: LaneWatch, figures: LivenessFigures): Found | null {
  const open = openTool(watch, figures);
  if (open === null) return null;
  const { nowMs, evidence, lastFileMs } = watch;
  const forMs = nowMs - open.sinceMs;
  const { lastCpuMs, lastOutputMs } = evidence;
  const progressMs = newest(open.sinceMs, lastCpuMs, lastOutputMs, lastFileMs);
  const progressLeftMs = progressMs + figures.toolProgressMs - nowMs;
  const ceilingLeftMs = ceilingMs(open.timeoutMs, figures) - forMs;
  const view: ToolView = {
    name: open.name,
    forMs,
    leftMs: (open.timeoutMs ?? figures.toolCallMs) - forMs,
    signs: signsOf(watch, figures),
  };
  const leftMs = Math.min(progressLeftMs, ceilingLeftMs);
  if (leftMs > 0) return { ...working('working_tool'), forMs, leftMs, tool: view };
  const reason = ceilingLeftMs <= 0 ? 'tool_ceiling' : 'tool_progress';
  return { state: 'stalled', reason, forMs, leftMs: null, tool: view };
}

function ceilingMs(timeoutMs: number | null, figures: LivenessFigures): number {
  return timeoutMs === null ? figures.toolCeilingMs : timeoutMs + figures.toolGraceMs;
}

/** Of several the one that reaches its ceiling first; one that waits for a human is not open. */
function openTool(
  watch: LaneWatch,
  figures: LivenessFigures,
): (Omit<OpenTool, 'name'> & { readonly name: string | null }) | null {
  const open = [...watch.tools].flatMap(([id, one]) => (id === watch.asked?.tool ? [] : [one]));
  const endMs = ({ sinceMs, timeoutMs }: OpenTool) => sinceMs + ceilingMs(timeoutMs, figures);
  const [first] = open.sort((a, b) => endMs(a) - endMs(b));
  if (first !== undefined) return first;
  const sinceMs = toolChildSince(watch.evidence, watch.nowMs, figures);
  return sinceMs === null ? null : { name: null, sinceMs, timeoutMs: null };
}

function signsOf(watch: LaneWatch, figures: LivenessFigures): readonly ToolSign[] {
  const { evidence, nowMs, lastFileMs, screen } = watch;
  const signs = [
    ['cpu', isWithin(evidence.lastCpuMs, nowMs, figures.cpuWindowMs)],
    ['output', isWithin(evidence.lastOutputMs, nowMs, figures.outputWindowMs)],
    ['files', isWithin(lastFileMs, nowMs, figures.fileWindowMs)],
    ['screen', isProducing(screen, nowMs, figures)],
  ] as const;
  return signs.flatMap(([sign, isShown]) => (isShown ? [sign] : []));
}

/** New rows or changed files; in a lane whose tools are not told apart its busy processes, too. */
function local(watch: LaneWatch, figures: LivenessFigures): Found | null {
  const { lastFileMs, nowMs, screen } = watch;
  const isChanging =
    isProducing(screen, nowMs, figures) || isWithin(lastFileMs, nowMs, figures.fileWindowMs);
  if (!isChanging && !isBusy(watch, figures)) return null;
  const sinceMs = newest(watch.lifecycleSinceMs, watch.lastWorkMs);
  return { ...working('working_local'), forMs: nowMs - sinceMs, leftMs: null };
}

/**
 * A reprieve, and so under a ceiling: CPU of a tree in which agent and tools are not told apart may
 * be that of an endless loop. It counts from the last sign that is not in doubt.
 */
function isBusy(watch: LaneWatch, figures: LivenessFigures): boolean {
  const { evidence, nowMs } = watch;
  if (evidence.baseline !== null) return false;
  const isShown = isWithin(evidence.lastCpuMs, nowMs, figures.cpuWindowMs);
  return isShown && nowMs < reprieveEndMs(watch, figures);
}

function reprieveEndMs(watch: LaneWatch, figures: LivenessFigures): number {
  return undoubtedMs(watch) + ceilingMs(watch.timeoutMs, figures);
}

/** The model was asked. A series of refusals before that bounds this wait, too. */
function modelWait(watch: LaneWatch, figures: LivenessFigures): Found | null {
  const { inFlight, lastByteMs, nowMs, failingSinceMs } = watch;
  if (inFlight.size === 0) return null;
  const sinceMs = newest(Math.min(...inFlight.values()), lastByteMs);
  const waitMs =
    watch.modelTimeoutMs === null
      ? figures.modelWaitMs
      : watch.modelTimeoutMs + figures.modelGraceMs;
  const failingLeftMs =
    failingSinceMs === null ? Number.POSITIVE_INFINITY : failingSinceMs + figures.backoffMs - nowMs;
  const leftMs = Math.min(sinceMs + waitMs - nowMs, failingLeftMs);
  return quietUntil('model_wait', nowMs - sinceMs, leftMs);
}

function backoff({ failingSinceMs, nowMs }: LaneWatch, figures: LivenessFigures): Found | null {
  if (failingSinceMs === null) return null;
  const forMs = nowMs - failingSinceMs;
  return quietUntil('backoff', forMs, figures.backoffMs - forMs);
}

function awaitingInput({ asked, rawMs }: LaneWatch): Found | null {
  if (asked === null) return null;
  return {
    state: 'quiet',
    reason: 'awaiting_input',
    forMs: rawMs - asked.sinceRawMs,
    leftMs: null,
  };
}

/** None of these: a stage with a limit of its own is held to it, the rest to silence. */
function silent(watch: LaneWatch, figures: LivenessFigures): Found {
  const limited = limitedStage(watch, figures);
  if (limited !== null) return quietUntil(limited.stage, limited.forMs, limited.leftMs);
  const windowMs = watch.hasDoor ? figures.quietWithDoorMs : figures.quietMs;
  const forMs = watch.nowMs - lastSignMs(watch, figures);
  return quietUntil(null, forMs, windowMs - forMs);
}

function quietUntil(reason: LivenessReason | null, forMs: number, leftMs: number): Found {
  return leftMs > 0
    ? { state: 'quiet', reason, forMs, leftMs }
    : { state: 'stalled', reason, forMs, leftMs: null };
}

/** Silence begins here. */
function lastSignMs(watch: LaneWatch, figures: LivenessFigures): number {
  const { baseline, lastCpuMs } = watch.evidence;
  const undoubted = undoubtedMs(watch);
  if (baseline !== null || lastCpuMs === null) return undoubted;
  return Math.max(undoubted, Math.min(lastCpuMs, reprieveEndMs(watch, figures)));
}

function undoubtedMs(watch: LaneWatch): number {
  const { lifecycleSinceMs, lastWorkMs, lastEndMs, lastFileMs, screen } = watch;
  return newest(lifecycleSinceMs, lastWorkMs, lastEndMs, lastFileMs, screen.producedMs);
}

function newest(first: number, ...others: readonly (number | null)[]): number {
  return others.reduce<number>((latest, at) => Math.max(latest, at ?? latest), first);
}
