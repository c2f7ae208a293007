/**
 * One turn of an agent: spawned contained, watched until it ends, its tree ended with proof. It
 * ends by its own exit, by its deadline, some time after it left its result (L-D1: a program that
 * says it is done and never exits), or because the work is no longer wanted.
 */
import type { Launch, TurnEnd, TurnFiles } from '../ports/agent.ts';
import type { Clock } from '../ports/clock.ts';
import type { ContainedProcess, Processes, Proof } from '../ports/processes.ts';
import { boundedCapture, type Capture, lastLineOf } from './capture.ts';
import type { Journal, OutputKind } from './journal.ts';
import type { LaneSignals } from './lane-signals.ts';
import type { DeniedTooOften, LaneTalk } from './lane-talk.ts';
import type { Nudges } from './nudges.ts';
import { redactor, redactText } from './redact.ts';
import { type LaneTerminal, laneTerminal } from './terminal/lane-terminal.ts';
import type { TerminalRunner } from './terminal/runner-line.ts';
import { type LaneRoot, laneRootOf, wakeTree } from './tree-look.ts';
import { readLeft, takeLeft } from './turn-files.ts';
import { untilRecorded } from './turn-recorded.ts';
import { workingDeadline } from './working-deadline.ts';

export interface TurnSpec {
  readonly launch: Pick<Launch, 'argv' | 'stdin' | 'modelTimeoutMs' | 'terminal'>;
  /** The whole environment of the agent, marker included. */
  readonly env: Readonly<Record<string, string>>;
  readonly execution: string;
  readonly spool: string;
  readonly cwd: string;
  /** Scanned for holders at the end; null: not ours to judge (the user's own checkout). */
  readonly workTree: string | null;
  readonly files: TurnFiles;
  readonly deadlineMs: number;
  /** For how long a human was waited for, up to now: no time of the lane's. */
  readonly waitedMs: () => number;
  readonly secrets: Readonly<Record<string, string>>;
  /** Aborts when the work is no longer wanted. */
  readonly signal: AbortSignal;
  /** Aborts when the tree must end at once, whether it was asked to end or not. */
  readonly hurry?: AbortSignal;
  /** Its engine gives it a push; absent: never. */
  readonly nudges?: Pick<Nudges, 'listen'>;
  /** Whether what is called off now could be gone on with. */
  readonly mayGoOn?: () => boolean;
}

export interface TurnMeans {
  readonly processes: Processes;
  readonly clock: Clock;
  readonly journal: Journal;
  readonly signals: LaneSignals;
  readonly talk: LaneTalk;
  readonly terminalRunner: TerminalRunner;
  readonly spans: TurnSpans;
  /** The agent runs; its record is in the spool. */
  readonly onStarted: (process: ContainedProcess) => Promise<void>;
  /** Told once; nothing more is written after it. */
  readonly onJournalFailure: (error: unknown) => void;
}

export interface TurnSpans {
  /** Between asking a tree to end and ending it. */
  readonly graceMs: number;
  /** How long a program may stay after it left its result, or said that its turn is over. */
  readonly completingMs: number;
  /** How long one may stay whose stdin was closed since its turn is over (acp.md §5.8). */
  readonly closingMs: number;
  /** How long one may take to write down the turn that it said is over. */
  readonly recordingMs: number;
  /** Between two looks whether it did. */
  readonly recordWatchMs: number;
  /** How long the end of a turn is waited for after its protocol was asked for it. */
  readonly cancelMs: number;
  /** Between two looks for the result. */
  readonly watchMs: number;
}

export const turnSpans: TurnSpans = {
  graceMs: 5_000,
  completingMs: 60_000,
  closingMs: 3_000,
  recordingMs: 3_000,
  recordWatchMs: 50,
  cancelMs: 1_000,
  watchMs: 1_000,
};

const lastLineMax = 200;
const lineOf = (kept: Capture) => kept.lastLine(lastLineMax);

/** `turn`: it said that its turn is over, and was ended then. */
export type EndedBy = 'exit' | 'deadline' | 'completing' | 'turn' | 'stop';

export interface Turn {
  readonly endedBy: EndedBy;
  readonly exit: { readonly exit: number | null; readonly signal: string | null };
  readonly proof: Proof;
  /** Redacted output of stdout; bounded. */
  readonly stdout: Capture;
  readonly lastLine: string | null;
  readonly resultFile: string | null;
  /** What the adapter makes of it. */
  readonly end: TurnEnd;
  /** What it was denied too often; null: nothing. */
  readonly denied: DeniedTooOften | null;
  /** It was called off by a push, to be gone on with. */
  readonly isNudged: boolean;
  readonly durationMs: number;
}

/** @throws RequestError `program_missing`, WorldError `spawn_failed`; then nothing runs. */
export async function runTurn(spec: TurnSpec, means: TurnMeans): Promise<Turn> {
  const { clock } = means;
  const begun = clock.monotonicMs();
  const output = outputs(spec, means);
  const terminal = await terminalOf(spec, means, output.stood);
  const process = await means.processes.spawn({
    ...programOf(spec, means),
    cwd: spec.cwd,
    env: spec.env,
    stdin: spec.launch.stdin,
    keepsInput: means.talk.isOpen,
    execution: spec.execution,
    spool: spec.spool,
    ...(spec.workTree === null ? {} : { workTree: spec.workTree }),
    onStdout: (bytes) => {
      output.take(terminal === null ? output.printed : 'terminal', bytes);
      terminal?.push(bytes);
    },
    onStderr: (bytes) => output.take('stderr', bytes),
  });
  let endedBy: EndedBy = 'stop';
  let proof: Proof;
  const push = { isCalledOff: false, deaf: () => {} };
  try {
    const root = laneRootOf(process.record, terminal !== null);
    means.signals.started(root, {
      prompt: means.talk.prompt,
      modelTimeoutMs: spec.launch.modelTimeoutMs ?? null,
    });
    await means.onStarted(process);
    means.talk.begin(process);
    terminal?.follow(process);
    push.deaf =
      spec.nudges?.listen(() => {
        push.isCalledOff = pushed(root, spec, means) || push.isCalledOff;
      }) ?? push.deaf;
    endedBy = await firstEnd(spec, means, process);
    if (endedBy === 'stop' || endedBy === 'deadline') await askTalk(spec, means, process);
  } finally {
    // Whatever happened above: nothing of the tree is left behind.
    push.deaf();
    means.signals.ended();
    proof = await process.end(means.spans.graceMs, spec.hurry);
  }
  await terminal?.end();
  // Forced by us, its exit is not its own doing (L-O3).
  const exit = endedBy === 'exit' ? await process.exited : { exit: null, signal: null };
  const resultFile = await takeLeft(spec.files.result);
  // Its last words are told with that.
  const end = means.talk.end(exit, resultFile);
  output.end();
  return {
    endedBy,
    exit,
    proof,
    stdout: output.stdout,
    lastLine: saidLine(spec, means, end) ?? output.lastLine(),
    resultFile,
    end,
    denied: means.talk.denied(),
    isNudged: push.isCalledOff,
    durationMs: clock.monotonicMs() - begun,
  };
}

/**
 * Whatever is stopped goes on. Else a turn whose conversation can be gone on with is called off;
 * true then. On a terminal nothing is typed: a key may answer a dialog, and only a human may.
 */
function pushed(root: LaneRoot, { mayGoOn }: TurnSpec, { talk, journal }: TurnMeans): boolean {
  const woken = wakeTree(root);
  if (woken > 0) journal.note(`${woken} stopped processes were woken`);
  if (woken > 0 || !talk.isProtocol || !talk.isOpen || mayGoOn?.() !== true) return false;
  return talk.cancel();
}

/** Its own argv, or that of the program which runs it in a terminal. */
function programOf({ launch: { argv, terminal } }: TurnSpec, { terminalRunner }: TurnMeans) {
  if (terminal === undefined) return { argv };
  const [program = ''] = argv;
  return { argv: terminalRunner(terminal, argv), program };
}

async function terminalOf(
  { launch, secrets }: TurnSpec,
  { clock, signals, talk }: TurnMeans,
  tell: (rows: readonly string[]) => void,
): Promise<LaneTerminal | null> {
  if (launch.terminal === undefined) return null;
  const redact = (text: string) => redactText(text, secrets);
  return await laneTerminal(launch.terminal, { clock, signals, talk, redact, tell });
}

async function firstEnd(
  spec: TurnSpec,
  means: TurnMeans,
  process: ContainedProcess,
): Promise<EndedBy> {
  const over = new AbortController();
  const { clock, spans } = means;
  const stopped = new Promise<'stop'>((resolve) => {
    if (spec.signal.aborted) resolve('stop');
    spec.signal.addEventListener('abort', () => resolve('stop'), { signal: over.signal });
  });
  const finishing = async () => {
    const how = await means.talk.finished;
    if (over.signal.aborted) return 'turn' as const;
    means.signals.completing();
    if (how === 'said') await untilRecorded(means, over.signal);
    process.closeInput();
    const isShort = means.talk.isOpen || how === 'called_off';
    await clock.sleep(isShort ? spans.closingMs : spans.completingMs, over.signal);
    return 'turn' as const;
  };
  const completing = async () => {
    while ((await readLeft(spec.files.result)) === null && !over.signal.aborted) {
      await clock.sleep(spans.watchMs, over.signal);
    }
    if (over.signal.aborted) return 'completing' as const;
    means.signals.completing();
    await clock.sleep(spans.completingMs, over.signal);
    return 'completing' as const;
  };
  try {
    return await Promise.race([
      process.exited.then(() => 'exit' as const),
      workingDeadline(clock, spec, over.signal).then(() => 'deadline' as const),
      completing(),
      finishing(),
      stopped,
    ]);
  } finally {
    over.abort();
  }
}

/** Its protocol is asked first, then its stdin is closed; the tree is ended after that anyway. */
async function askTalk(spec: TurnSpec, means: TurnMeans, process: ContainedProcess): Promise<void> {
  if (!means.talk.isOpen || spec.hurry?.aborted === true) return;
  means.talk.cancel();
  const over = new AbortController();
  const late = means.clock.sleep(means.spans.cancelMs, over.signal);
  await Promise.race([means.talk.finished, process.exited, late]).finally(() => over.abort());
  process.closeInput();
}

/** Of its answer, else the newest of what it said; null: no protocol is spoken, or it was mute. */
function saidLine({ secrets }: TurnSpec, { talk }: TurnMeans, end: TurnEnd): string | null {
  if (!talk.isProtocol) return null;
  const answer = 'text' in end && end.text !== null ? end.text : '';
  const lineOf = (text: string) => lastLineOf(redactText(text, secrets), lastLineMax);
  return lineOf(answer) ?? lineOf(talk.said());
}

/** Raw bytes go to the journal, which redacts; what is kept in memory is redacted here. */
function outputs(spec: TurnSpec, means: TurnMeans) {
  const streams = {
    stdout: { redact: redactor(spec.secrets), kept: boundedCapture() },
    stderr: { redact: redactor(spec.secrets), kept: boundedCapture() },
  };
  const { stdout, stderr } = streams;
  let journals = true;
  /** A full disk must not end the agent's work: what it prints is then kept in memory alone. */
  const journal = (write: () => void) => {
    if (!journals) return;
    try {
      write();
    } catch (error: unknown) {
      journals = false;
      means.onJournalFailure(error);
    }
  };
  const { isProtocol } = means.talk;
  return {
    stdout: stdout.kept,
    printed: isProtocol ? ('protocol' as const) : ('stdout' as const),
    /** Rows of its screen: what there is to read of what it painted. */
    stood(rows: readonly string[]) {
      journal(() => means.journal.screen(rows));
      stdout.kept.push(Buffer.from(redactText(`${rows.join('\n')}\n`, spec.secrets)));
    },
    take(kind: OutputKind, bytes: Uint8Array) {
      means.signals.printed(bytes);
      journal(() => means.journal.output(kind, bytes));
      if (kind === 'terminal') return;
      const { kept, redact } = streams[kind === 'stderr' ? kind : 'stdout'];
      if (kind !== 'stderr') means.talk.take(bytes);
      kept.push(redact.push(bytes));
    },
    end() {
      for (const { kept, redact } of [stdout, stderr]) kept.push(redact.flush());
      journal(() => {
        means.journal.end();
        means.journal.sync();
      });
    },
    lastLine: () => (isProtocol ? null : lineOf(stdout.kept)) ?? lineOf(stderr.kept),
  };
}
