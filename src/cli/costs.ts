/**
 * What runs cost, by day, project and agent. Metered and self-reported money stay in columns of
 * their own, and what nobody knows is counted, never taken for nothing (UX 0.3, ruling 18).
 */
import type { Client, RunView } from '../ports/client.ts';
import type { StoredEvent } from '../ports/store.ts';
import type { Usage } from '../ports/words.ts';
import type { Io } from './io.ts';
import { table } from './views/page.ts';
import { laneOf } from './wire.ts';

export interface CostRow {
  /** The day `2026-03-04`, the project's path or the agent's name. */
  readonly key: string;
  readonly runs: number;
  readonly tokens: number;
  readonly meteredUsd: number;
  readonly selfReportedUsd: number;
  /** Turns of which the cost is not known. */
  readonly unknown: number;
}

export interface Costs {
  readonly day: readonly CostRow[];
  readonly project: readonly CostRow[];
  readonly agent: readonly CostRow[];
}

interface Spent {
  readonly view: RunView;
  readonly at: number;
  readonly usage: Usage;
}

const pageEvents = 500;

export async function costsOf(
  client: Pick<Client, 'events'>,
  io: Io,
  views: readonly RunView[],
): Promise<Costs> {
  const spent: Spent[] = [];
  for (const view of views) spent.push(...(await spentBy(client, view)));
  return {
    day: rowsBy(spent, ({ at }) => dayOf(io, at)),
    project: rowsBy(spent, ({ view }) => view.project),
    agent: rowsBy(spent, ({ view }) => laneOf(view.maker).agent),
  };
}

async function spentBy(client: Pick<Client, 'events'>, view: RunView): Promise<Spent[]> {
  const spent: Spent[] = [];
  let after = 0;
  while (after < view.version) {
    const page = await client.events(view.id, after, pageEvents);
    const last = page.at(-1);
    if (last === undefined) break;
    spent.push(...page.flatMap((stored) => usageOf(view, stored)));
    after = last.version;
  }
  return spent;
}

function usageOf(view: RunView, { at, event }: StoredEvent): Spent[] {
  return event.type === 'usage.recorded' ? [{ view, at, usage: event.usage }] : [];
}

function dayOf(io: Io, at: number): string {
  const { year, month, day } = io.local(at);
  return `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
}

function rowsBy(spent: readonly Spent[], keyOf: (one: Spent) => string): readonly CostRow[] {
  const groups = new Map<string, Spent[]>();
  for (const one of spent) {
    const key = keyOf(one);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
  }
  const keys = [...groups.keys()].sort((a, b) => (a < b ? -1 : 1));
  return keys.map((key) => rowOf(key, groups.get(key) ?? []));
}

function rowOf(key: string, spent: readonly Spent[]): CostRow {
  const usd = (source: Usage['source']): number =>
    spent.reduce((sum, { usage }) => sum + (usage.source === source ? (usage.costUsd ?? 0) : 0), 0);
  return {
    key,
    runs: new Set(spent.map(({ view }) => view.id)).size,
    tokens: spent.reduce((sum, { usage }) => sum + tokensOf(usage), 0),
    meteredUsd: usd('metered'),
    selfReportedUsd: usd('self-reported'),
    unknown: spent.filter(({ usage }) => usage.costUsd === null).length,
  };
}

const tokensOf = ({ tokensIn, tokensOut, cacheRead, cacheWrite }: Usage): number =>
  tokensIn + tokensOut + cacheRead + cacheWrite;

/** A turn without a token is none: where nobody told of any, nothing is known. */
export const tokenWords = (tokens: number): string => (tokens === 0 ? '–' : String(tokens));

export function costLines(costs: Costs, columns: number): string[] {
  const headed = [
    ['DAY', costs.day],
    ['PROJECT', costs.project],
    ['AGENT', costs.agent],
  ] as const;
  return headed.flatMap(([title, rows]) => ['', ...section(title, rows, columns)]);
}

function section(title: string, rows: readonly CostRow[], columns: number): string[] {
  const head = [title, 'RUNS', 'TOKENS', 'METERED', 'SELF-REPORTED', 'UNKNOWN'];
  const cells = rows.map((row) => [
    row.key,
    String(row.runs),
    tokenWords(row.tokens),
    row.meteredUsd > 0 ? `$${row.meteredUsd.toFixed(2)}` : '–',
    row.selfReportedUsd > 0 ? `~$${row.selfReportedUsd.toFixed(2)}` : '–',
    row.unknown === 0 ? '' : `${row.unknown} of the turns`,
  ]);
  return table([head, ...cells], columns, '');
}
