/** What every call of one door shares, and what one call is. */
import type { ServerResponse } from 'node:http';
import type { Clock } from '../../ports/clock.ts';
import type { DoorMode, ModelApi, ModelBudget } from '../../ports/models-door.ts';
import type { Asked } from './asked.ts';
import type { Calls } from './calls.ts';
import type { Gate, Refused } from './gate.ts';
import { refusal } from './refusal.ts';
import type { Reply } from './reply.ts';
import type { Outbound, Service } from './upstream.ts';

export interface DoorSpans {
  readonly firstByteStreamedMs: number;
  readonly firstByteWholeMs: number;
  readonly idleMs: number;
}
/** Measured: gemini gives up by itself after 60 s, qwen after 120 s, four others never (§7). */
export const doorSpans: DoorSpans = {
  firstByteStreamedMs: 120_000,
  firstByteWholeMs: 600_000,
  idleMs: 90_000,
};

export interface DoorParts {
  readonly mode: DoorMode;
  readonly clock: Clock;
  readonly gate: Gate;
  readonly calls: Calls;
  readonly budget: ModelBudget;
  readonly spans: DoorSpans;
}

export interface ModelCallSpec {
  readonly api: ModelApi;
  readonly asked: Asked;
  readonly service: Service;
  readonly outbound: Outbound;
  readonly lane: ServerResponse;
}

/** Refused by the door: it costs nothing, and it is no call. */
export function refused(
  door: Pick<DoorParts, 'calls'>,
  api: ModelApi,
  { reason, detail }: Refused,
  call: number | null = null,
): Reply {
  door.calls.tell({ kind: 'refused', call, reason, detail });
  return refusal(api, reason, detail);
}

/** The event that closed the door is answered as every request after it; null: it is open. */
export function refusedNow(door: DoorParts, api: ModelApi, call: number | null): Reply | null {
  const closed = door.gate.refused(door.clock.now());
  return closed === null ? null : refused(door, api, closed, call);
}
