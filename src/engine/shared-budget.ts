/**
 * Asks, before a lane is started, whether a budget over runs is spent: the day's over all runs, or
 * the day's over the runs of one project. What a run had spent before the day began is folded from
 * its events once; what open executions have reported since their last record is counted too, so
 * that lanes side by side brake each other (faults L-F3). A lane that works is not ended by it.
 */

import { activeMsAt, addUsage } from '../domain/budget/budget.ts';
import {
  addShared,
  nothingShared,
  type SharedBudget,
  type SharedFigure,
  type SharedLimits,
  type SharedSpent,
  sharedSince,
  spentFigure,
} from '../domain/budget/shared.ts';
import type { Usage } from '../domain/execution/state.ts';
import type { Instant, RunId } from '../domain/ids.ts';
import type { LivingRun, Spent } from '../domain/run/state.ts';
import type { BudgetSource, Day } from '../ports/budgets.ts';
import type { OpenExecution, RunRow } from '../ports/store.ts';
import type { Engine } from './engine.ts';
import { emptyAggregate, foldEvolve } from './fold.ts';

export interface Overspent {
  readonly budget: SharedBudget;
  /** Which budget, how much of it, and the key that says so; one line. */
  readonly detail: string;
}

/** The budgets as they stand at one look. */
export interface BudgetLook {
  /** The first budget over this run that is spent; null while there is room. */
  over(run: RunId): Overspent | null;
}

const runsMax = 10_000;
const pageEvents = 500;
const knownMax = 4_096;

export function sharedBudget(engine: Engine, source: BudgetSource) {
  const before = spentBefore(engine);
  return {
    /** @throws what the source throws when it cannot be read. */
    look: async (): Promise<BudgetLook> => {
      const budgets = await source.read();
      const now = engine.clock.now();
      const isBraked = budgets.day !== null || budgets.project !== null;
      const sums = isBraked ? await spentToday(engine, source.dayOf(now), before) : noSums;
      return {
        over: (run) => {
          const project = sums.projectOf.get(run);
          const ofProject = project === undefined ? undefined : sums.ofProject.get(project);
          return (
            overspent('day', budgets.day, sums.all) ??
            overspent('project', budgets.project, ofProject ?? nothingShared)
          );
        },
      };
    },
  };
}

interface Sums {
  readonly all: SharedSpent;
  readonly ofProject: ReadonlyMap<string, SharedSpent>;
  readonly projectOf: ReadonlyMap<RunId, string>;
}

const noSums: Sums = { all: nothingShared, ofProject: new Map(), projectOf: new Map() };

type Before = (row: RunRow, day: Day) => Promise<Spent | null>;

async function spentToday(engine: Engine, day: Day, before: Before): Promise<Sums> {
  const live = liveUsage(await engine.store.openExecutions());
  const ofProject = new Map<string, SharedSpent>();
  const projectOf = new Map<RunId, string>();
  let all = nothingShared;
  for (const row of await rowsOf(engine, day)) {
    const { run } = row.aggregate;
    if (run.status === 'unborn') continue;
    const spent = spentNow(run, engine.clock.now(), live.get(row.id) ?? []);
    const today = sharedSince(await before(row, day), spent);
    all = addShared(all, today);
    ofProject.set(row.project, addShared(ofProject.get(row.project) ?? nothingShared, today));
    projectOf.set(row.id, row.project);
  }
  return { all, ofProject, projectOf };
}

/** Runs that may have spent anything in the day: open ones, and those that moved in it. */
async function rowsOf({ store }: Engine, day: Day): Promise<readonly RunRow[]> {
  const open = await store.runs({ open: true, limit: runsMax });
  const moved = await store.runs({ since: day.from, limit: runsMax });
  const known = new Set(open.map(({ id }) => id));
  return [...open, ...moved.filter(({ id }) => !known.has(id))];
}

function liveUsage(open: readonly OpenExecution[]): ReadonlyMap<RunId, readonly Usage[]> {
  const live = new Map<RunId, Usage[]>();
  for (const { run, usage } of open) {
    if (usage !== null) live.set(run, [...(live.get(run) ?? []), usage]);
  }
  return live;
}

function spentNow(run: LivingRun, at: Instant, live: readonly Usage[]): Spent {
  return live.reduce<Spent>(addUsage, { ...run.spent, activeMs: activeMsAt(run, at) });
}

/** What a run had spent when the day began: the past does not change, so it is folded once. */
function spentBefore({ store }: Engine): Before {
  const known = new Map<RunId, { readonly from: Instant; readonly spent: Spent | null }>();
  return async (row, day) => {
    if (row.createdAt >= day.from) return null;
    const remembered = known.get(row.id);
    if (remembered?.from === day.from) return remembered.spent;
    const spent = await spentAt(store, row, day.from);
    if (known.size >= knownMax) known.clear();
    known.set(row.id, { from: day.from, spent });
    return spent;
  };
}

async function spentAt(store: Engine['store'], row: RunRow, at: Instant): Promise<Spent | null> {
  let aggregate = emptyAggregate;
  let after = 0;
  while (after < row.version) {
    const page = await store.events(row.id, after, pageEvents);
    const past = page.filter((stored) => stored.at < at);
    for (const { event } of past) aggregate = foldEvolve(aggregate, event);
    if (page.length === 0 || past.length < page.length) break;
    after = page.at(-1)?.version ?? row.version;
  }
  const { run } = aggregate;
  return run.status === 'unborn' ? null : { ...run.spent, activeMs: activeMsAt(run, at) };
}

function overspent(
  budget: SharedBudget,
  limits: SharedLimits | null,
  spent: SharedSpent,
): Overspent | null {
  const figure = limits === null ? null : spentFigure(limits, spent);
  if (limits === null || figure === null) return null;
  const whose = budget === 'day' ? 'of all runs' : 'of the runs of this project';
  const detail = `${said(figure, limits, spent)} ${whose} today (budgets.${budget}.${figure})`;
  return { budget, detail };
}

function said(figure: SharedFigure, limits: SharedLimits, spent: SharedSpent): string {
  switch (figure) {
    case 'cost':
      return `${money(spent)} of $${(limits.costUsd ?? 0).toFixed(2)}`;
    case 'tokens':
      return `${spent.tokens} of ${limits.tokens ?? 0} tokens`;
    case 'time':
      return `${minutes(spent.activeMs)} of ${minutes(limits.timeMs ?? 0)} of active time`;
  }
}

/** The two sorts of money are named beside each other, never as one figure. */
function money({ meteredUsd, selfReportedUsd }: SharedSpent): string {
  const metered = meteredUsd > 0 ? [`$${meteredUsd.toFixed(2)}`] : [];
  const reported = selfReportedUsd > 0 ? [`~$${selfReportedUsd.toFixed(2)}`] : [];
  return [...metered, ...reported].join(' + ');
}

const minutes = (ms: number): string => `${Math.round(ms / 60_000)}m`;
