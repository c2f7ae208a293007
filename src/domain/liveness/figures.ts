/**
 * Every figure of the liveness rule, each with where it comes from. "Measured" means: 79 recordings
 * of five agent programs and 14 of two more, all rules replayed on them (research/liveness.md).
 */

export interface LivenessFigures {
  /** DESIGN §7: 60 s until the program is found and up, 120 s until it took its first prompt. */
  readonly startingMs: number;
  /** DESIGN §7: between the end of a turn and the end of the process. */
  readonly completingMs: number;

  /** research §5 line 9: silence before `stalled` where the models door sees every request. */
  readonly quietWithDoorMs: number;
  /**
   * research §5 line 9: the same without a door. Slow, since hidden thinking of three of five
   * programs looks exactly like a hang from outside.
   */
  readonly quietMs: number;

  /** DESIGN §7: a call without a declared time-out is shown as overdue from here on. */
  readonly toolCallMs: number;
  /** research §5 line 4: without CPU, output or a changed file for so long a tool is stuck. */
  readonly toolProgressMs: number;
  /** research §5 line 4: the most that a tool without a declared time-out is believed. */
  readonly toolCeilingMs: number;
  /** research §5 line 4: over a declared time-out; the program itself has to end it first. */
  readonly toolGraceMs: number;

  /** research §5 line 6: for programs in which no time-out of their own was seen. */
  readonly modelWaitMs: number;
  /** research §5 line 6: over a program's own time-out; it has to give up first. */
  readonly modelGraceMs: number;
  /** research §5 line 7: one program gives up at 100 s, one at 185 s, two over 200 s. */
  readonly backoffMs: number;

  /** research §1 and §5 line 3: how long an event of work or a byte of an answer counts. */
  readonly workWindowMs: number;
  /** research §1: how long a changed file counts. */
  readonly fileWindowMs: number;
  /** research §1: how long bytes written by a tool count. */
  readonly outputWindowMs: number;
  /** research §3: CPU of a tool counts from 10 ticks (of 100 a second) in 10 s. */
  readonly cpuWindowMs: number;
  readonly cpuTicksMin: number;

  /**
   * The same where agent and tools are not told apart. A program whose model hangs has 5 ticks
   * in 10 s, in a loop of retries up to 15 (measured, headless); a tool that computes has hundreds.
   */
  readonly treeCpuTicksMin: number;

  /** research §5 line 2: a shell's job control stops for moments, too. */
  readonly frozenMs: number;
  /** research §3: drops the short polls of git that some programs make. */
  readonly toolChildAgeMs: number;

  /** research §1, threshold sweep: 0 of 49 false with 20 s and 3 samples; 17 % false with 30 s. */
  readonly screenWindowMs: number;
  readonly screenSamplesMin: number;
  /** research §4: samples closer than this to the one counted before do not count. */
  readonly screenApartMs: number;
  /** research §4, advice: what the host itself typed is echoed. */
  readonly screenEchoMs: number;
  /** research §4, advice: masked rows that are remembered. */
  readonly screenRowsMax: number;

  /** research §7: a walk over a tree of six processes costs 0.66 ms; every 2 s that is 0.03 %. */
  readonly lookEveryMs: number;
  /** A gap between two looks so many times longer than planned was not watched: sleep, a stop. */
  readonly gapFactor: number;
}

export const livenessDefaults: LivenessFigures = {
  startingMs: 180_000,
  completingMs: 60_000,
  quietWithDoorMs: 120_000,
  quietMs: 600_000,
  toolCallMs: 180_000,
  toolProgressMs: 600_000,
  toolCeilingMs: 1_800_000,
  toolGraceMs: 60_000,
  modelWaitMs: 420_000,
  modelGraceMs: 60_000,
  backoffMs: 300_000,
  workWindowMs: 30_000,
  fileWindowMs: 30_000,
  outputWindowMs: 30_000,
  cpuWindowMs: 10_000,
  cpuTicksMin: 10,
  treeCpuTicksMin: 30,
  frozenMs: 2_000,
  toolChildAgeMs: 3_000,
  screenWindowMs: 20_000,
  screenSamplesMin: 3,
  screenApartMs: 1_000,
  screenEchoMs: 2_000,
  screenRowsMax: 2_000,
  lookEveryMs: 2_000,
  gapFactor: 3,
};

/** What a lane, a loop or a project may set (`liveness:`); null and absent: as it is. */
export interface LivenessOverrides {
  /** Silence before `stalled`, with and without a door. */
  readonly idleMs?: number | null;
  readonly toolCallMs?: number | null;
  readonly toolProgressMs?: number | null;
}

/** Later overrides win: project, then loop, then lane. */
export function figuresWith(...overrides: readonly LivenessOverrides[]): LivenessFigures {
  const last = (name: keyof LivenessOverrides) =>
    overrides.map((one) => one[name] ?? null).findLast((value) => value !== null);
  const { quietMs, quietWithDoorMs, toolCallMs, toolProgressMs } = livenessDefaults;
  return {
    ...livenessDefaults,
    quietMs: last('idleMs') ?? quietMs,
    quietWithDoorMs: last('idleMs') ?? quietWithDoorMs,
    toolCallMs: last('toolCallMs') ?? toolCallMs,
    toolProgressMs: last('toolProgressMs') ?? toolProgressMs,
  };
}
