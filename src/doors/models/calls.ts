/**
 * The calls of one door: numbered, watched while they are open, metered when they end. What is told
 * of them is told in the order in which it happened.
 */
import type { Clock } from '../../ports/clock.ts';
import type {
  CallInFlight,
  DoorSignal,
  DoorTrouble,
  MeteredCall,
  ModelApi,
} from '../../ports/models-door.ts';
import { type Meter, meter } from './meter.ts';
import type { TeeReport } from './tee.ts';
import type { Service } from './upstream.ts';

type Unstamped<T> = T extends DoorSignal ? Omit<T, 'atMs'> : never;
export type Told = Unstamped<DoorSignal>;

export interface Calls {
  readonly meter: Meter;
  open(api: ModelApi, model: string | null): OpenCall;
  /** The largest output of any call so far, in tokens. */
  largestOutput(): number;
  inFlight(): readonly CallInFlight[];
  lastByteMs(): number | null;
  /** How the newest call of the lane's work failed; null: it did not. */
  trouble(): DoorTrouble | null;
  /** A call of the lane's work came to this. */
  came(to: DoorTrouble | null): void;
  tell(signal: Told): void;
}

export interface OpenCall {
  readonly n: number;
  readonly api: ModelApi;
  readonly model: string | null;
  headers(status: number): void;
  byte(isFirst: boolean): void;
  /** What it came to, added to the sum; null: it cost nothing. */
  end(how: EndedHow, metered: MeteredCall | null): void;
}
export type EndedHow = Extract<DoorSignal, { kind: 'ended' }>['how'];

export function callsOf(clock: Clock, onSignal: (signal: DoorSignal) => void): Calls {
  const open = new Map<number, CallInFlight>();
  const sums = meter();
  let count = 0;
  let largest = 0;
  let lastByteMs: number | null = null;
  let trouble: DoorTrouble | null = null;
  const tell = (signal: Told) => onSignal({ ...signal, atMs: clock.monotonicMs() } as DoorSignal);
  const update = (n: number, change: Partial<CallInFlight>) => {
    const call = open.get(n);
    if (call !== undefined) open.set(n, { ...call, ...change });
  };
  return {
    meter: sums,
    tell,
    open(api, model) {
      count += 1;
      const n = count;
      const sinceMs = clock.monotonicMs();
      open.set(n, { call: n, api, model, sinceMs, phase: 'requested', lastByteMs: null });
      return {
        n,
        api,
        model,
        headers(status) {
          update(n, { phase: 'headers' });
          tell({ kind: 'headers', call: n, status });
        },
        byte(isFirst) {
          lastByteMs = clock.monotonicMs();
          update(n, { phase: 'streaming', lastByteMs });
          if (isFirst) tell({ kind: 'first_byte', call: n });
        },
        end(how, metered) {
          open.delete(n);
          if (metered !== null) {
            sums.add(metered);
            largest = Math.max(largest, metered.tokens.output);
          }
          tell({ kind: 'ended', call: n, how, metered });
        },
      };
    },
    largestOutput: () => largest,
    inFlight: () => [...open.values()],
    lastByteMs: () => lastByteMs,
    trouble: () => trouble,
    came: (to) => {
      trouble = to;
    },
  };
}

/** A report with its price; the model's name in the answer wins over the one that was asked for. */
export function meteredCall(
  call: Pick<OpenCall, 'api' | 'model'>,
  report: TeeReport,
  means: { readonly service: Service; readonly now: number },
): MeteredCall {
  const at = new Date(means.now);
  const { price } = means.service;
  const { tokens, isExact: exact } = report;
  const names = [report.model, call.model].filter((name) => name !== null);
  // A service may answer by a name of its own, which the list does not know.
  const costs = names.map((name) => price(name, tokens, at));
  const costUsd = costs.find((cost) => cost !== null) ?? null;
  return { api: call.api, model: names[0]?.slice(0, 200) ?? null, tokens, exact, costUsd };
}
