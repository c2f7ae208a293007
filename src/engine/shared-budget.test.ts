import { expect, test } from 'vitest';
import {
  type Bench,
  bench,
  executed,
  plainDefinition,
  prepared,
  work,
} from '../../test/sim/bench-of-one.ts';
import { ada, nothing } from '../../test/sim/human.ts';
import type { SharedBudgets, SharedLimits } from '../domain/budget/shared.ts';
import type { Instant } from '../domain/ids.ts';
import { RequestError } from '../kernel/errors.ts';
import type { BudgetSource } from '../ports/budgets.ts';
import { dispatcher } from './dispatch.ts';

const dayMs = 86_400_000;
const limits = (part: Partial<SharedLimits>): SharedLimits => ({
  costUsd: null,
  tokens: null,
  timeMs: null,
  ...part,
});
const usage = { ...executed.usage, costUsd: 3 };

/** Days of this world begin at whole multiples of a day. */
function source(read: () => SharedBudgets): BudgetSource {
  return {
    read: async () => read(),
    dayOf: (at) => {
      const from = (Math.floor(at / dayMs) * dayMs) as Instant;
      return { from, until: (from + dayMs) as Instant };
    },
  };
}

function puller(here: Bench, budgets: BudgetSource) {
  const started: string[] = [];
  const lanes = {
    start: async ({ run }: { readonly run: string }) => {
      started.push(run);
    },
    sealLeft: async () => null,
    ensureCheckHost: async () => {},
    look: async () => ({ state: 'alive' }) as const,
    end: async () => ({ strength: 'kernel', rung: 'x', gaps: [] }) as const,
    forget: async () => {},
  };
  const pull = dispatcher({ engine: here.engine, lanes, offerMs: 10_000, budgets, log: () => {} });
  return { ...pull, started };
}

async function ready(here: Bench, root = '/work/a'): Promise<string> {
  const project = { ...plainDefinition.project, root };
  const definition = { ...plainDefinition, project, concurrency: { group: root, max: 9 } };
  const { id } = await here.client.start(
    { definition, detached: true, resumedFrom: null, from: null },
    ada,
  );
  await work(here, id, prepared);
  return id;
}

/** A turn that cost so much; what it left is verified later. */
const turn = (here: Bench, run: string, spent: Partial<typeof usage> = {}) =>
  work(here, run as never, { ...executed, usage: { ...usage, ...spent } });
const find = (here: Bench, text: string) => here.client.find({ text, project: null });

test("the day's budget parks what would start a further turn, and says which one it is", async () => {
  const here = bench();
  const [first, second] = [await ready(here), await ready(here, '/work/b')];
  await turn(here, first);
  const pull = puller(
    here,
    source(() => ({ day: limits({ costUsd: 3 }), project: null })),
  );
  await pull.pull();
  expect(pull.started).toEqual([]);
  const parked = await find(here, second);
  expect(parked).toMatchObject({
    status: 'needs_operator',
    disposition: 'budget_exhausted',
    reason: 'day_budget',
    detail: '$3.00 of $3.00 of all runs today (budgets.day.cost)',
    counters: { attempts: 0 },
  });
  expect(parked.options[0]?.command).toMatch(/^pawl resume /);
  // The verification of the first goes on: a pass beats every budget.
  expect(await find(here, first)).toMatchObject({ status: 'active', phase: 'verifying' });
  // No lane of it began: there is no tree, and nothing to be judged.
  const printed = parked.options.map(({ command }) => command).join();
  expect(printed).not.toMatch(/--verify-now|pawl path/);
});

test('a human lifts it by raising it and resuming; the next day has its own', async () => {
  const here = bench();
  const run = await ready(here);
  await turn(here, await ready(here));
  let costUsd = 3;
  const pull = puller(
    here,
    source(() => ({ day: limits({ costUsd }), project: null })),
  );
  await pull.pull();
  await here.client.resume(run as never, nothing, ada);
  await pull.pull();
  expect(await find(here, run)).toMatchObject({ reason: 'day_budget' });
  costUsd = 10;
  await here.client.resume(run as never, nothing, ada);
  await pull.pull();
  expect(pull.started).toEqual([run]);
  costUsd = 3;
  here.pass(dayMs);
  const later = await ready(here);
  await pull.pull();
  expect(pull.started).toContain(later);
});

test('what a run spent before midnight is no part of the new day', async () => {
  const here = bench();
  const run = await ready(here);
  await turn(here, run);
  here.pass(dayMs);
  const other = await ready(here);
  const pull = puller(
    here,
    source(() => ({ day: limits({ costUsd: 3 }), project: null })),
  );
  await pull.pull();
  expect(pull.started).toEqual([other]);
});

test("a project's budget stops the runs of that project alone", async () => {
  const here = bench();
  await turn(here, await ready(here));
  const [same, other] = [await ready(here), await ready(here, '/work/b')];
  const pull = puller(
    here,
    source(() => ({ day: limits({ costUsd: 50 }), project: limits({ costUsd: 2 }) })),
  );
  await pull.pull();
  expect(pull.started).toEqual([other]);
  expect(await find(here, same)).toMatchObject({ reason: 'project_budget' });
});

test('an unknown cost is braked by tokens, never by a guess (ruling 18)', async () => {
  const here = bench();
  const unknown = {
    costUsd: null as never,
    source: 'self-reported',
    tokensIn: 900,
    tokensOut: 100,
  };
  await turn(here, await ready(here), unknown as never);
  const [one, two] = [await ready(here), await ready(here)];
  const money = puller(
    here,
    source(() => ({ day: limits({ costUsd: 0.01 }), project: null })),
  );
  await money.pull();
  expect(money.started).toEqual([one, two]);
  here.pass(20_000);
  const tokens = puller(
    here,
    source(() => ({ day: limits({ tokens: 1_000 }), project: null })),
  );
  await tokens.pull();
  expect(tokens.started).toEqual([]);
  expect((await find(here, one)).detail).toBe(
    '1000 of 1000 tokens of all runs today (budgets.day.tokens)',
  );
});

test('lanes side by side share one budget: what they report brakes the next one (L-F3)', async () => {
  const here = bench();
  const runs = [await ready(here), await ready(here), await ready(here), await ready(here)];
  const budgets = source(() => ({ day: null, project: limits({ costUsd: 1.25 }) }));
  for (const run of runs.slice(0, 3)) {
    const { execution } = await find(here, run);
    const claimed = await here.plane.claim({
      execution: execution?.id as never,
      holder: { worker: 'here', bootId: 'b', pid: 7, started: 1 },
      nonce: run,
    });
    if (!claimed.ok) throw new Error(claimed.reason);
    const granted = { execution: execution?.id as never, grantId: claimed.grantId };
    await here.plane.start({ ...granted, rung: 'x', pid: 7 });
    await here.engine.store.heartbeat({
      ...granted,
      beat: 1,
      signals: '{}',
      usage: { ...usage, costUsd: 0.5 },
    });
  }
  const pull = puller(here, budgets);
  await pull.pull();
  expect(pull.started).toEqual([]);
  expect(await find(here, runs[3] as string)).toMatchObject({
    reason: 'project_budget',
    detail: '$1.50 of $1.25 of the runs of this project today (budgets.project.cost)',
  });
});

test('a configuration that cannot be read starts nothing and is tried again', async () => {
  const here = bench();
  const run = await ready(here);
  let isBroken = true;
  const pull = puller(
    here,
    source(() => {
      if (isBroken) throw new RequestError('bad_value', '"budgets.day.cost" must be above 0');
      return { day: null, project: null };
    }),
  );
  await pull.pull();
  expect(pull.started).toEqual([]);
  expect((await find(here, run)).waiting).toMatchObject({
    reason: 'no_capacity',
    detail: 'budgets unknown: "budgets.day.cost" must be above 0',
  });
  isBroken = false;
  await here.client.resume(run as never, { ...nothing, now: true }, ada);
  await pull.pull();
  expect(pull.started).toEqual([run]);
});
