/** Times, spans, money and counts as UX 0.3 prints them. Unknown is `–`, never 0. */
import type { Io, LocalTime } from './io.ts';

export function span(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (ms > 0 && ms < 20_000) return `${(Math.round(ms / 100) / 10).toFixed(1)}s`;
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m${pad(seconds % 60)}s`;
  return `${Math.floor(minutes / 60)}h${pad(minutes % 60)}m`;
}

/** Whole units only, for brakes: `8h`, `90m`. */
export function shortSpan(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (ms < 60_000) return `${Math.round(ms / 1000)}s`;
  if (minutes < 120) return minutes === 60 ? '1h' : `${minutes}m`;
  const rest = minutes % 60;
  return rest === 0 ? `${minutes / 60}h` : `${Math.floor(minutes / 60)}h${pad(rest)}m`;
}

/** To the minute, as a clock tells it: `41s`, `12m`, `1h52m`. */
export function clockSpan(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (ms < 60_000) return `${Math.max(0, Math.round(ms / 1000))}s`;
  return minutes < 60 ? `${minutes}m` : `${Math.floor(minutes / 60)}h${pad(minutes % 60)}m`;
}

export interface Cost {
  readonly costUsd: number;
  readonly costKnown: boolean;
  readonly selfReported: boolean;
}
export function money(cost: Cost): string {
  if (!cost.costKnown) return '–';
  return `${cost.selfReported ? '~' : ''}$${cost.costUsd.toFixed(2)}`;
}

type SpentCost = Cost & { readonly tokensIn: number; readonly tokensOut: number };

/** Whether somebody told what it costs; that nobody reported anything is not a zero. */
export function isCostKnown(spent: SpentCost): boolean {
  const isSilent = spent.costUsd === 0 && spent.tokensIn + spent.tokensOut === 0;
  return spent.costKnown && !isSilent;
}

/** What a run has spent; `–` when nobody told. */
export function spentMoney(spent: SpentCost): string {
  return isCostKnown(spent) ? money(spent) : '–';
}

export function count(n: number): string {
  if (n < 1_000) return String(n);
  if (n < 1_000_000) return `${trim(n / 1_000)}k`;
  return n < 100_000_000 ? `${(n / 1_000_000).toFixed(1)}M` : `${Math.round(n / 1_000_000)}M`;
}

export function bytes(n: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  let value = n;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 ? value : trim(value)} ${units[unit] ?? 'B'}`;
}

/** `HH:MM`, with the date when it is not today. */
export function clock(io: Io, at: number): string {
  const then = io.local(at);
  const now = io.local(io.now());
  const time = `${pad(then.hour)}:${pad(then.minute)}`;
  const today = then.year === now.year && then.month === now.month && then.day === now.day;
  return today ? time : `${then.year}-${pad(then.month)}-${pad(then.day)} ${time}`;
}
/** `22:10`, `yesterday 22:10`, or with its date. */
export function sinceWords(io: Io, at: number): string {
  const [then, now] = [io.local(at), io.local(io.now())];
  const day = ({ year, month, day: n }: LocalTime): number => Date.UTC(year, month - 1, n);
  const isYesterday = day(now) - day(then) === 86_400_000;
  return isYesterday ? `yesterday ${pad(then.hour)}:${pad(then.minute)}` : clock(io, at);
}
export function clockSeconds(io: Io, at: number): string {
  const then = io.local(at);
  return `${pad(then.hour)}:${pad(then.minute)}:${pad(then.second)}`;
}

/** RFC 3339 UTC, for JSON. */
export function iso(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

export function plural(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`;
}
/** In prose an enum is written with spaces. */
export function words(name: string): string {
  return name.replaceAll('_', ' ');
}
export function short(commit: string | null): string {
  return commit === null ? '–' : commit.slice(0, 7);
}

function trim(value: number): string {
  return value >= 100 ? String(Math.round(value)) : String(Math.round(value * 10) / 10);
}
function pad(n: number): string {
  return String(n).padStart(2, '0');
}

/** Of a run that could not have verified anything. */
export const dryRunWords = 'dry run: nothing was verified';
