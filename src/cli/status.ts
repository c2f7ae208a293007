/**
 * `pawl status`: the page for people. It starts fast: nothing here loads zod or yaml, and git only
 * for work that is ready.
 */
import { isDriverSeat } from '../kernel/driver-seats.ts';
import { ProductError } from '../kernel/errors.ts';
import type { Client, DriverSeat, RunView } from '../ports/client.ts';
import type { HealthCheck } from '../ports/health.ts';
import type { Instant } from '../ports/words.ts';
import type { Command, Context } from './command.ts';
import { exits } from './exit.ts';
import { clock, iso, sinceWords } from './format.ts';
import { watchInterrupts } from './interrupts.ts';
import { isDamaged } from './ready-to-land.ts';
import { driverOf, isService, noDriver, sweepTrouble } from './seats.ts';
import { type Groups, groupRuns, type ReadyWork, statusLines } from './views/status.ts';
import { runJson } from './wire.ts';

export const command: Command = {
  name: 'status',
  summary: 'What needs you, what is ready to land, what works, in every project.',
  arguments: { usage: '', min: 0, max: 0 },
  flags: [
    { name: 'since', kind: 'value', value: 'span', says: 'ended runs of this long (24h)' },
    { name: 'exit-code', kind: 'switch', says: '3, 4 or 0 by the most urgent run' },
    { name: 'watch', short: 'w', kind: 'switch', says: 'again every second until Ctrl-C' },
  ],
  examples: ['pawl status', 'pawl status --exit-code'],
  run,
};

const dayMs = 86_400_000;
const runsMax = 500;
/** Runs of which git is asked; each costs two calls. */
const readyMax = 20;
const questionBytes = 2_000;
const watchMs = 1_000;

async function run(context: Context): Promise<number> {
  const sinceMs = context.given.durationMs('since') ?? dayMs;
  if (!context.given.has('watch')) return (await show(context, sinceMs)).code;
  const interrupts = watchInterrupts(context.io, null);
  try {
    let shown = await show(context, sinceMs);
    while (shown.isOpen && interrupts.wish() === 'none') {
      await context.io.sleep(watchMs, interrupts.woken());
      if (interrupts.wish() === 'none') shown = await show(context, sinceMs);
    }
    return shown.code;
  } finally {
    interrupts.close();
  }
}

async function show(
  context: Context,
  sinceMs: number,
): Promise<{ readonly code: number; readonly isOpen: boolean }> {
  const client = await context.client();
  const since = context.io.now() - sinceMs;
  const groups = groupRuns(await runsSince(client, since));
  const drivers = await client.drivers();
  const driving = drivers.filter(isDriverSeat);
  const driver = driving[0] ?? null;
  const trouble = await troubleOf(context, driving, groups);
  const isWatch = context.given.has('watch');
  let isOpen = true;
  if (context.isJson) {
    isOpen = context.io.stdout.write(`${JSON.stringify(statusJson(groups, drivers, trouble))}\n`);
  } else {
    const lines = statusLines({
      groups,
      driver: driver === null ? null : { ...driverOf(driver), more: driving.length - 1 },
      now: context.io.now(),
      at: (instant) => clock(context.io, instant),
      since: sinceWords(context.io, beginOf(groups, since)),
      questions: await questionsOf(client, groups.needsYou),
      work: await workOf(context, groups.readyToLand),
      trouble,
      called: context.called,
      columns: context.style.columns,
    });
    const clear = isWatch && context.io.stdout.isTerminal ? '\u001b[H\u001b[2J' : '';
    isOpen = context.io.stdout.write(clear);
    context.print(isWatch ? [...lines, ''] : lines);
  }
  return { code: context.given.has('exit-code') ? urgency(groups) : exits.done, isOpen };
}

/** Of pawl itself, beside what its runs tell. */
async function troubleOf(
  { server, options }: Context,
  driving: readonly DriverSeat[],
  { running }: Groups,
): Promise<readonly HealthCheck[]> {
  return [
    ...(driving.length === 0 && running.length > 0 ? [noDriver] : []),
    ...(server === null ? await options.trouble() : []),
    ...driving.flatMap(sweepTrouble),
  ];
}

/** The page begins with its first run, and where that is older, with what was asked for. */
function beginOf(groups: Groups, since: number): number {
  const all = [...groups.needsYou, ...groups.readyToLand, ...groups.running, ...groups.ended];
  const first = Math.min(...all.map(({ startedAt }) => startedAt));
  return all.length === 0 ? since : Math.max(since, first);
}

/** The question itself, where there is one: its first words say more than that there is one. */
async function questionsOf(
  client: Client,
  views: readonly RunView[],
): Promise<ReadonlyMap<string, string>> {
  const asked = views.filter(({ reason }) => reason === 'blocked_by_question').slice(0, readyMax);
  const known = new Map<string, string>();
  for (const { id, text } of asked) {
    const bytes = text === null ? null : await client.artifact(text);
    if (bytes !== null) known.set(id, new TextDecoder().decode(bytes.subarray(0, questionBytes)));
  }
  return known;
}

/** What git says of the work that waits; a repository that is gone costs its words, no more. */
async function workOf(
  context: Context,
  ready: readonly RunView[],
): Promise<ReadonlyMap<string, ReadyWork>> {
  const known = new Map<string, ReadyWork>();
  if (ready.length === 0) return known;
  const workspace = await context.workspace();
  for (const { id, project, base, head, baseBranch } of ready.slice(0, readyMax)) {
    if (base === null || head === null) continue;
    try {
      const files = await workspace.changedFiles(project, base, head);
      const sum = (pick: 'added' | 'removed') =>
        files.reduce((total, file) => total + (file[pick] ?? 0), 0);
      const moved =
        baseBranch === null ? null : await workspace.commitsSince(project, base, baseBranch);
      known.set(id, { files: files.length, added: sum('added'), removed: sum('removed'), moved });
    } catch (error: unknown) {
      if (!(error instanceof ProductError)) throw error;
    }
  }
  return known;
}

/** Everything open, however old, and what ended lately. */
async function runsSince(client: Client, since: number): Promise<readonly RunView[]> {
  const common = { project: null, status: [], limit: runsMax, demo: false };
  const open = await client.list({ ...common, open: true, since: null });
  const recent = await client.list({ ...common, open: false, since: since as Instant });
  const known = new Set(open.map(({ id }) => id));
  return [...open, ...recent.filter(({ id }) => !known.has(id))];
}

function urgency({ needsYou }: Groups): number {
  const isUrgent = (view: RunView) => view.status === 'needs_operator' || isDamaged(view);
  if (needsYou.some(isUrgent)) return exits.needsOperator;
  return needsYou.length > 0 ? exits.waitingHuman : exits.done;
}

function statusJson(
  groups: Groups,
  drivers: Awaited<ReturnType<Client['drivers']>>,
  trouble: readonly HealthCheck[],
) {
  const all = [...groups.needsYou, ...groups.readyToLand, ...groups.running, ...groups.ended];
  const sum = (pick: (view: RunView) => number): number =>
    all.reduce((total, view) => total + pick(view), 0);
  const cost = (self: boolean) => (view: RunView) =>
    view.spent.costKnown && view.spent.selfReported === self ? view.spent.costUsd : 0;
  return {
    schema: 'pawl.status/1',
    trouble: trouble.map(({ id, state, detail, next }) => ({ id, state, detail, next })),
    needsYou: groups.needsYou.map((view) => runJson(view)),
    readyToLand: groups.readyToLand.map((view) => runJson(view)),
    running: groups.running.map((view) => runJson(view)),
    ended: groups.ended.map((view) => runJson(view)),
    drivers: drivers.map(({ seat, holder, since, version }) => ({
      seat,
      service: isService(version),
      pid: holder.pid,
      host: holder.worker,
      since: iso(since),
    })),
    totals: { runs: all.length, meteredUsd: sum(cost(false)), selfReportedUsd: sum(cost(true)) },
  };
}
