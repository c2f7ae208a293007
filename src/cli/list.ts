import { RequestError } from '../kernel/errors.ts';
import type { RunView } from '../ports/client.ts';
import { everyParkReason } from '../ports/park-reasons.ts';
import type { RunStatus } from '../ports/words.ts';
import { answer, type Command, type Context } from './command.ts';
import { costLines, costsOf, tokenWords } from './costs.ts';
import { nothingOf } from './empty.ts';
import { exits } from './exit.ts';
import { clock, spentMoney, words } from './format.ts';
import { table } from './views/page.ts';
import { laneOf, runJson } from './wire.ts';

const statuses: readonly RunStatus[] = [
  'active',
  'waiting_human',
  'paused',
  'needs_operator',
  'cancelling',
  'complete',
  'cancelled',
];

export const command: Command = {
  name: 'list',
  summary: 'The flat table of runs, newest first.',
  arguments: { usage: '', min: 0, max: 0 },
  flags: [
    { name: 'status', kind: 'list', value: 'status', says: 'only these', oneOf: statuses },
    {
      name: 'reason',
      kind: 'list',
      value: 'reason',
      says: 'only parked for these',
      oneOf: everyParkReason,
    },
    { name: 'agent', kind: 'value', value: 'name', says: 'only by this agent' },
    { name: 'limit', kind: 'value', value: 'n', says: 'at most this many (50)' },
    { name: 'all', kind: 'switch', says: 'up to 10,000, demo runs too' },
    { name: 'cost', kind: 'switch', says: 'tokens and cost, and sums by day, project, agent' },
    {
      name: 'sort',
      kind: 'value',
      value: 'key',
      says: 'order (started)',
      oneOf: ['started', 'updated', 'cost', 'name'],
    },
  ],
  examples: ['pawl list --status needs_operator --json'],
  run,
};

const limitDefault = 50;
const limitMax = 10_000;

async function run(context: Context): Promise<number> {
  const { given } = context;
  const isAll = given.has('all');
  const limit = isAll ? limitMax : (given.whole('limit', 1) ?? limitDefault);
  if (limit > limitMax)
    throw new RequestError('bad_value', `at most ${limitMax} at once`, { where: '--limit' });
  const client = await context.client();
  const found = await client.list({
    project: await context.projectFilter(),
    open: false,
    status: given.list('status') as readonly RunStatus[],
    since: null,
    limit,
    demo: isAll,
  });
  const views = found.filter(matcher(context)).sort(order(given.text('sort') ?? 'started'));
  const costs = given.has('cost') ? await costsOf(client, context.io, views) : null;
  const { columns } = context.style;
  const sums = costs === null || views.length === 0 ? [] : costLines(costs, columns);
  answer(context, [...lines(context, views, columns), ...sums], {
    schema: 'pawl.runs/1',
    runs: views.map((view) => runJson(view)),
    ...(costs === null ? {} : { costs }),
    cursor: null,
  });
  return exits.done;
}

function matcher({ given }: Context): (view: RunView) => boolean {
  const reasons = given.list('reason');
  const agent = given.text('agent');
  return (view) =>
    (reasons.length === 0 || reasons.some((reason) => view.reason === reason)) &&
    (agent === null || laneOf(view.maker).agent === agent);
}

function order(key: string): (a: RunView, b: RunView) => number {
  switch (key) {
    case 'name':
      return (a, b) => a.name.localeCompare(b.name);
    case 'cost':
      return (a, b) => b.spent.costUsd - a.spent.costUsd;
    case 'updated':
      return (a, b) => b.updatedAt - a.updatedAt;
    default:
      return (a, b) => b.startedAt - a.startedAt;
  }
}

function lines(context: Context, views: readonly RunView[], columns: number): string[] {
  if (views.length === 0) return nothingOf(context, 'no runs', 'list');
  const hasCost = context.given.has('cost');
  const head = [
    'ID',
    'NAME',
    'STATUS',
    'ATTEMPT',
    ...(hasCost ? ['TOKENS', 'COST'] : []),
    'AGENT',
    'STARTED',
  ];
  const rows = views.map((view) => [
    view.short,
    view.name,
    statusWords(view),
    `${view.attempt.n}${view.attempt.max === null ? '' : `/${view.attempt.max}`}`,
    ...(hasCost
      ? [tokenWords(view.spent.tokensIn + view.spent.tokensOut), spentMoney(view.spent)]
      : []),
    laneOf(view.maker).agent,
    clock(context.io, view.startedAt),
  ]);
  return table([head, ...rows], columns, '');
}

function statusWords(view: RunView): string {
  const status = words(view.status);
  if (view.reason !== null) return `${status}: ${words(view.reason)}`;
  if (view.status === 'complete')
    return view.verification === 'passed' ? 'complete' : 'complete (overridden)';
  if (view.noWork !== undefined) return `${status}: no work`;
  if (view.phase === null) return status;
  const gone = view.execution?.holderGone === true ? ', lane gone' : '';
  const driverless = view.execution !== null && view.driver === null ? ', no driver' : '';
  return `${status}: ${view.phase}${gone}${driverless}`;
}
