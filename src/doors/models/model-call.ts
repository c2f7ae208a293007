/**
 * One call of a model, from its request to its settlement: judged, held against the budget, passed
 * on, metered. Whatever happens, what was reserved is settled or released exactly once.
 */
import type { IncomingMessage } from 'node:http';
import type { MeteredCall } from '../../ports/models-door.ts';
import { noTokens } from './answer.ts';
import type { Asked } from './asked.ts';
import { meteredCall, type OpenCall } from './calls.ts';
import { type Exchanged, exchange } from './exchange.ts';
import { afterFailure, breakNoted, troubleOf } from './failed-answer.ts';
import { type Refused, refusedFor } from './gate.ts';
import { spendOf } from './meter.ts';
import { type DoorParts, type ModelCallSpec, refused } from './parts.ts';
import { gatewayError } from './refusal.ts';
import type { Reply } from './reply.ts';
import { inputEstimate, type TeeReport, tee } from './tee.ts';

/** Of the estimate before a call: an answer shorter than this is not expected. */
const outputEstimateMin = 1_024;

/** What the lane is told; null: it has its answer. */
export async function modelCall(door: DoorParts, spec: ModelCallSpec): Promise<Reply | null> {
  const { api, asked, outbound } = spec;
  const barred = barredBy(door, spec);
  if (barred !== null) return refused(door, api, barred);
  const bytes = outbound.body?.byteLength ?? 0;
  const call = door.calls.open(api, asked.model);
  door.calls.tell({ kind: 'requested', call: call.n, api, model: asked.model, bytes });
  const settling = settlement(door, call);
  try {
    const held = await door.budget.reserve(call.n, estimate(door, spec, bytes));
    if (!held.ok) {
      settling.unheld();
      door.gate.budgetSpent(held.limit);
      return refused(door, api, refusedFor({ why: 'budget', limit: held.limit }), call.n);
    }
    return await ended(door, spec, { call, settling, came: await passOn(door, spec, call) });
  } finally {
    await settling.free();
  }
}

/** What bars the call whatever the budget says. */
function barredBy(door: DoorParts, { asked }: ModelCallSpec): Refused | null {
  const closed = door.gate.refused(door.clock.now());
  if (closed !== null) return closed;
  if (asked.serverTools.length > 0) {
    const detail = asked.serverTools.slice(0, 5).join(' ').slice(0, 200);
    return { reason: 'server_tools', detail };
  }
  return asked.isUnmetered ? { reason: 'not_allowed', detail: 'background' } : null;
}

function estimate(door: DoorParts, { asked, service }: ModelCallSpec, bytes: number) {
  const expected = Math.max(outputEstimateMin, door.calls.largestOutput());
  const output = Math.min(expected, asked.outputMax ?? expected);
  const tokens = { ...noTokens, input: inputEstimate(bytes), output };
  const at = new Date(door.clock.now());
  const costUsd = asked.model === null ? null : service.price(asked.model, tokens, at);
  return spendOf({ tokens, costUsd });
}

async function passOn(door: DoorParts, spec: ModelCallSpec, call: OpenCall): Promise<Exchanged> {
  const { service, outbound, lane, asked, api } = spec;
  const { spans } = door;
  const requestBytes = outbound.body?.byteLength ?? 0;
  return exchange({
    service,
    outbound,
    lane,
    firstByteMs: asked.isStreamed ? spans.firstByteStreamedMs : spans.firstByteWholeMs,
    idleMs: spans.idleMs,
    tee: (answer) => tee({ api, form: formOf(answer, asked), requestBytes }),
    onHeaders: (status) => call.headers(status),
    onByte: (isFirst) => call.byte(isFirst),
  });
}

function formOf(answer: IncomingMessage, asked: Asked): 'stream' | 'body' | 'opaque' {
  const encoding = answer.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') return 'opaque';
  const type = answer.headers['content-type'];
  if (type === undefined) return asked.isStreamed ? 'stream' : 'body';
  return type.includes('event-stream') ? 'stream' : 'body';
}

interface Ended {
  readonly call: OpenCall;
  readonly settling: Settlement;
  readonly came: Exchanged;
}

async function ended(door: DoorParts, spec: ModelCallSpec, end: Ended): Promise<Reply | null> {
  const { call, settling, came } = end;
  // A lane that hung up says nothing of the service.
  if (spec.asked.offersTools && came.how !== 'left') door.calls.came(troubleOf(spec.api, came));
  if (came.how === 'error') return afterFailure(door, spec, { call: call.n, answer: came });
  const reply = came.sent ? noteSent(door, spec, end) : notSent(door, spec, end);
  if (came.how === 'lost') return reply;
  // What was sent and never answered may have been worked on: charged by estimate, and marked so.
  const report = came.sent && came.report !== null ? came.report : unanswered(spec);
  for (const tool of report.serverTools) {
    door.calls.tell({ kind: 'server_tool_seen', call: call.n, tool });
  }
  const means = { service: spec.service, now: door.clock.now() };
  await settling.charge(came.how, meteredCall(call, report, means));
  return reply;
}

/** The lane has what there was; only the health of the service is left to note. */
function noteSent(door: DoorParts, spec: ModelCallSpec, { call, came }: Ended): null {
  if (came.how === 'done') door.gate.answered();
  else if (came.how !== 'left') breakNoted(door, spec, call.n);
  return null;
}

function notSent(door: DoorParts, spec: ModelCallSpec, { call, came }: Ended): Reply | null {
  if (came.how === 'left') return null;
  const status = came.how === 'hung' ? 504 : 502;
  return breakNoted(door, spec, call.n) ?? gatewayError(spec.api, status);
}

/** What was reserved is settled or released once, whichever comes first. */
interface Settlement {
  charge(how: 'done' | 'cut' | 'left' | 'hung', metered: MeteredCall): Promise<void>;
  /** The call cost nothing; after an end it changes nothing. */
  free(): Promise<void>;
  /** The same, where nothing was reserved. */
  unheld(): void;
}

function settlement(door: DoorParts, call: OpenCall): Settlement {
  let isOver = false;
  return {
    async charge(how, metered) {
      isOver = true;
      call.end(how, metered);
      await door.budget.settle(call.n, spendOf(metered));
    },
    async free() {
      if (isOver) return;
      isOver = true;
      call.end('failed', null);
      await door.budget.release(call.n);
    },
    unheld() {
      isOver = true;
      call.end('failed', null);
    },
  };
}

function unanswered({ asked, outbound }: ModelCallSpec): TeeReport {
  const input = inputEstimate(outbound.body?.byteLength ?? 0);
  return {
    model: asked.model,
    isTerminal: false,
    wantsEnd: false,
    tokens: { ...noTokens, input },
    isExact: false,
    serverTools: [],
  };
}
