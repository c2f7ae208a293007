/**
 * Runs of the built program, one for each condition, at once; and what `pawl status --json` says of
 * their lanes again and again until it has said enough.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Pawl, pawl, type StartOptions } from '../support/pawl.ts';
import { signal, until } from '../support/processes.ts';
import { r0Plain } from '../support/repositories.ts';
import { faultsOf, rightAfter, rowOf, type Shown } from './judging.ts';
import { type Condition, idleS } from './lanes.ts';
import { note } from './table.ts';

interface LaneKind {
  /** As the table calls it. */
  readonly name: string;
  readonly conditions: readonly Condition[];
  /** Of the definition: its agents and roles. */
  readonly file: string;
  /**
   * When the model was asked what makes the condition; null: not yet. Absent: it begins with the
   * lane.
   */
  readonly beganMs?: (condition: string) => number | null;
  /** Over the environment of the program. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A machine with other work takes its time; a state that is wrong for so long is told as such. */
const watchMsMax = 300_000;
const endMsMax = 60_000;
const beforeExecuting = ['preparing', 'waiting'];

/** Tries all of a kind, notes the rows, and tells what was wrong. */
export async function tried(kind: LaneKind): Promise<readonly string[]> {
  const real = kind.conditions.filter(({ truth }) => typeof truth !== 'string');
  const shown = await shownOf({ ...kind, conditions: real });
  return kind.conditions.flatMap(({ name, title, truth }) => {
    const of = { condition: title, lane: kind.name };
    if (typeof truth === 'string') {
      note({ ...of, how: 'skipped', shown: truth, rightAfterS: null, ruleS: null, wrong: [] });
      return [];
    }
    const row = rowOf({ ...of, how: 'real' }, shown.get(name) ?? [], truth);
    note(row);
    return faultsOf(row);
  });
}

/** By the name of the condition. @throws when a run does not start, or leaves anything behind. */
async function shownOf(kind: LaneKind): Promise<ReadonlyMap<string, readonly Shown[]>> {
  const own = pawl();
  try {
    const { root } = r0Plain(own.root);
    writeFileSync(join(root, 'pawl.yaml'), `${kind.file}${settings}`);
    const options = { cwd: root, ...(kind.env === undefined ? {} : { env: kind.env }) };
    const [, seen] = await Promise.all([started(own, kind, options), watched(own, kind)]);
    const names = kind.conditions.map(({ name }) => name);
    await own.run(['cancel', ...names, '--now', '--yes'], options);
    const isLane = ({ command }: { readonly command: string }) =>
      /lane-host|lane\.mjs/.test(command);
    await until(() => !own.processes().some(isLane), endMsMax);
    return seen;
  } finally {
    await own.close();
  }
}

/** One after the other, while those before it are watched. */
async function started(own: Pawl, kind: LaneKind, options: StartOptions): Promise<void> {
  for (const { name } of kind.conditions) {
    const args = ['run', `condition:${name}`, '--name', name, '-n', '1', '--detach'];
    const { exit, stderr } = await own.run([...args, '--baseline', 'skip'], options);
    if (exit !== 0) throw new Error(`the run ${name} was not started: ${stderr}`);
  }
}

const settings = `check: test -f answer
liveness: { idle: ${idleS}s }
concurrency: { max: 16 }
`;

interface Following {
  readonly shown: Shown[];
  beganMs: number | null;
  hasStopped: boolean;
}

async function watched(own: Pawl, kind: LaneKind): Promise<ReadonlyMap<string, Shown[]>> {
  const following = new Map(
    kind.conditions.map((one): [string, Following] => [
      one.name,
      { shown: [], beganMs: null, hasStopped: false },
    ]),
  );
  const end = performance.now() + watchMsMax;
  const isOpen = () => kind.conditions.some((one) => !isEnough(one, following.get(one.name)));
  while (isOpen() && performance.now() < end) {
    const atMs = performance.now();
    const runs = await runsOf(own);
    for (const condition of kind.conditions) {
      const run = runs.get(condition.name);
      const of = following.get(condition.name);
      if (run !== undefined && of !== undefined) look(own, kind, { condition, run, of, atMs });
    }
  }
  return new Map([...following].map(([name, { shown }]) => [name, shown]));
}

interface Look {
  readonly condition: Condition;
  readonly run: RunTold;
  readonly of: Following;
  readonly atMs: number;
}

function look(own: Pawl, kind: LaneKind, { condition, run, of, atMs }: Look): void {
  if (run.phase !== null && beforeExecuting.includes(run.phase)) return;
  const asked = kind.beganMs === undefined ? atMs : kind.beganMs(condition.name);
  const beganMs = of.beganMs ?? asked;
  if (beganMs === null || atMs < beganMs) return;
  of.beganMs = beganMs;
  of.shown.push({ atS: Math.round((atMs - beganMs) / 100) / 10, state: stateOf(run) });
  if (condition.name === 'stopped') stop(own, run, of);
}

/** Once it is seen at work; its condition begins then. */
function stop(own: Pawl, { id }: RunTold, of: Following): void {
  if (of.hasStopped || of.shown.at(-1)?.state.startsWith('working_') !== true) return;
  const host = /\/lane-host\.js/;
  for (const found of own.processes()) {
    if (!host.test(found.command) && isOfRun(found.pid, id)) signal(found, 'SIGSTOP');
  }
  of.hasStopped = true;
  of.beganMs = performance.now();
  of.shown.length = 0;
}

/** Its environment names the execution; false for one that has ended meanwhile. */
function isOfRun(pid: number, run: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`PAWL_EXECUTION=${run}.`);
  } catch (error: unknown) {
    if (error instanceof Error && 'code' in error) return false;
    throw error;
  }
}

function isEnough(condition: Condition, of: Following | undefined): boolean {
  if (of === undefined || typeof condition.truth === 'string') return true;
  // A lane that is over says nothing more, whether it was to end or not.
  if (of.shown.at(-1)?.state === 'over') return true;
  if (condition.name === 'stopped' && !of.hasStopped) return false;
  const right = rightAfter(of.shown, condition.truth);
  return right !== null && (of.shown.at(-1)?.atS ?? 0) - right >= condition.holdsS;
}

interface RunTold {
  readonly id: string;
  readonly name: string;
  readonly phase: string | null;
  readonly liveness: { readonly state: string; readonly reason: string | null } | null;
}

async function runsOf(own: Pawl): Promise<ReadonlyMap<string, RunTold>> {
  const page = (await own.run(['status', '-A', '--json'])).json();
  const groups = ['needsYou', 'readyToLand', 'running', 'ended'].map((name) => page[name]);
  const all = groups.flat() as readonly RunTold[];
  return new Map(all.map((run) => [run.name, run]));
}

function stateOf({ phase, liveness }: RunTold): string {
  if (phase !== 'executing' || liveness === null) return 'over';
  const { state, reason } = liveness;
  return reason === null || reason === undefined ? state : `${state}/${reason}`;
}
