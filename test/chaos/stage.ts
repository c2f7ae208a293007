/**
 * One run of the built program, at work in a repository whose agent tells a witness outside of pawl
 * what it does; and what pawl says of that run meanwhile, asked as a user asks.
 */
import { existsSync, rmSync } from 'node:fs';
import { expect } from 'vitest';
import type { FailureName } from '../../src/testing/model-server/failures.ts';
import type { Pawl } from '../support/pawl.ts';
import { type FoundProcess, signal, until } from '../support/processes.ts';
import type { Watched, Wrote } from '../support/watched-project.ts';

export interface Shown {
  readonly status: string;
  readonly reason: string | null;
  readonly branch: string;
  readonly verification: string | null;
  readonly attempt: { readonly n: number };
  readonly liveness: { readonly state: string; readonly reason: string | null } | null;
  readonly noWork: { readonly reason: string } | null;
  readonly phase: string | null;
  readonly driver: { readonly pid: number } | null;
}

/** `pawl status --json`: whatever stands above all runs, and the run. */
export interface Page {
  readonly trouble: readonly { readonly id: string }[];
  readonly run: Shown;
}

export interface Stage {
  readonly own: Pawl;
  readonly work: Watched;
  /** Asked once; null: nobody could answer (a server that is away, a store that is full). */
  page(): Promise<Page | null>;
  /** Living processes of it, by a word of their command. */
  found(word: string): readonly FoundProcess[];
  /** How its agent's next so many questions to a model fail; null: the model answers again. */
  models(by: FailureName | null, times?: number): void;
  /** How far the wall clock of its programs is ahead, where they have one of their own. */
  setClock(wallMs: number): void;
}

export const waitMs = 240_000;

export async function startRun(
  { own, work }: Pick<Stage, 'own' | 'work'>,
  agent = ['--agent-cmd', `node ${work.agent} ${work.witness} ${work.hold}`],
): Promise<void> {
  const line = ['run', 'find the answer', '--name', 'one', ...agent];
  const options = { cwd: work.directory };
  const started = await own.run([...line, '--check', 'node check.mjs', '-d'], options);
  expect(started.exit, started.stdout + started.stderr).toBe(0);
}

export async function atWork({ work }: Pick<Stage, 'work'>): Promise<void> {
  expect(await until(() => work.wrote().length > 2, waitMs), 'its agent is at work').toBe(true);
}

/** Each its own way, by its pid; of none there was nothing to be done. */
export function toEach(found: readonly FoundProcess[], name: NodeJS.Signals): void {
  expect(found.length, `somebody to get ${name}`).toBeGreaterThan(0);
  for (const one of found) signal(one, name);
}

/** `typed`: how a user types there. */
export async function pageOf(
  typed: (line: readonly string[]) => ReturnType<Pawl['run']>,
): Promise<Page | null> {
  const { exit, stdout } = await typed(['status', '--json']);
  expect(exit, stdout).not.toBe(2);
  const whole = parsed(stdout);
  if (whole === null) return null;
  const groups = ['needsYou', 'readyToLand', 'running', 'ended'].flatMap((name) => {
    const rows = whole[name];
    return Array.isArray(rows) ? (rows as Shown[]) : [];
  });
  const [run] = groups;
  const trouble = whole['trouble'] as Page['trouble'];
  return run === undefined ? null : { trouble, run };
}

function parsed(text: string): Readonly<Record<string, unknown>> | null {
  try {
    return JSON.parse(text) as Readonly<Record<string, unknown>>;
  } catch {
    // It said nothing that a program could read: as if it had not answered.
    return null;
  }
}

export interface Watch {
  readonly shown: string;
  readonly afterS: number;
}

/** Asks until what is shown is so, for at most so long; null when it never was. */
export async function watch(
  stage: Pick<Stage, 'page'>,
  isTrue: (page: Page) => boolean,
  forMs: number = waitMs,
): Promise<Watch | null> {
  const from = performance.now();
  const elapsedMs = () => performance.now() - from;
  while (elapsedMs() < forMs) {
    const page = await stage.page();
    if (page !== null && isTrue(page)) {
      return { shown: told(page), afterS: elapsedMs() / 1_000 };
    }
  }
  return null;
}

function told({ trouble, run }: Page): string {
  const { status, reason, liveness, noWork } = run;
  if (trouble.length > 0) return trouble.map(({ id }) => id).join(', ');
  if (status !== 'active') return reason === null ? status : `${status}: ${reason}`;
  if (noWork !== null) return `no work: ${noWork.reason}`;
  if (run.phase === 'waiting') return 'waiting';
  const { state, reason: why } = liveness ?? { state: 'between jobs', reason: null };
  const lane = why === null ? state : `${state}/${why}`;
  return run.driver === null ? `${lane}, no driver` : lane;
}

export const starts = ({ work }: Pick<Stage, 'work'>): readonly Wrote[] =>
  work.wrote().filter(({ what }) => what === 'start');

/** Executions that wrote although a later one had begun, and those that began twice. */
export function doubled({ work }: Pick<Stage, 'work'>): number {
  const began = new Map<string, number>();
  let twice = 0;
  for (const { execution, what } of work.wrote()) {
    if (what !== 'start') continue;
    if (began.has(execution)) twice += 1;
    began.set(execution, began.size);
  }
  const newest = { at: -1 };
  const late = new Set<string>();
  for (const { execution } of work.wrote()) {
    const at = began.get(execution) ?? 0;
    if (at < newest.at) late.add(execution);
    newest.at = Math.max(newest.at, at);
  }
  return twice + late.size;
}

/** Lets the agent end its work. */
export function letEnd({ work }: Pick<Stage, 'work'>): void {
  if (existsSync(work.hold)) rmSync(work.hold);
}
