/**
 * An answer of failure: passed on where the lane copes with it, else turned into a refusal
 * (research/models-door.md §5, §7). Its body is the service's own, since recoveries of CLIs match
 * its words; only a key that it echoes is taken out.
 */
import type { IncomingMessage } from 'node:http';
import type { Instant } from '../../domain/ids.ts';
import { fieldsOf, parsedJson, textOf } from '../../kernel/json.ts';
import type { DoorTrouble, ModelApi } from '../../ports/models-door.ts';
import type { Exchanged } from './exchange.ts';
import { towardsLane } from './headers.ts';
import { passedWaitMsMax } from './limit-policy.ts';
import { limitOf, retryAfter, withRetryInfo } from './limits.ts';
import { type DoorParts, type ModelCallSpec, refused, refusedNow } from './parts.ts';
import { gatewayError } from './refusal.ts';
import type { Reply } from './reply.ts';

export interface FailedAnswer {
  readonly call: number;
  readonly answer: Answered;
}
export interface Answered {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** How a call failed, whatever the lane makes of it; null: as one that was answered. */
export function troubleOf(api: ModelApi, came: Exchanged): DoorTrouble | null {
  if (came.how !== 'error') return came.how === 'done' ? null : 'lost';
  if (isBreak(came.status)) return 'lost';
  const body = fieldsOf(firstOf(parsedJson(came.body.toString('utf8'))));
  const error = fieldsOf(body['error']);
  const words = [textOf(error['code']), textOf(error['type'])];
  return words.some((word) => tooLong[api].includes(word ?? '')) ? 'context' : null;
}

/** By which services name a context that is too long; Google has no name of its own for it. */
const tooLong: Readonly<Record<ModelApi, readonly string[]>> = {
  anthropic: ['request_too_large'],
  chat: ['context_length_exceeded'],
  responses: ['context_length_exceeded'],
  gemini: [],
};

/** A redirect leads away from the pinned address, and 408 ends gemini: both are a lost answer. */
const isBreak = (status: number): boolean => status >= 500 || status === 408 || status < 400;

/** What the lane is told. The door is closed, and the host told, where that is what follows. */
export function afterFailure(door: DoorParts, spec: ModelCallSpec, failed: FailedAnswer): Reply {
  const { status } = failed.answer;
  if (isLimit(door, failed)) return afterLimit(door, spec, failed);
  if (door.mode === 'inject' && (status === 401 || status === 403)) {
    return afterCredential(door, spec, failed);
  }
  if (isBreak(status)) return afterBreak(door, spec, failed);
  door.gate.answered();
  return asItCame(spec, failed.answer);
}

/** A long wait is one, whatever its status: some CLIs sleep through it in silence. */
function isLimit(door: DoorParts, { answer }: FailedAnswer): boolean {
  const { status, headers } = answer;
  if (status === 429 || status === 402) return true;
  const now = door.clock.now();
  const until = status >= 500 ? retryAfter(headers, now) : null;
  return until !== null && until - now > passedWaitMsMax;
}

function afterLimit(door: DoorParts, spec: ModelCallSpec, { answer, call }: FailedAnswer): Reply {
  const now = door.clock.now();
  const body = fieldsOf(firstOf(parsedJson(answer.body.toString('utf8'))));
  const said = limitOf(spec.api, answer.headers, body, now);
  // Payment is asked for: no wait cures that.
  const word = { ...said, isTerminal: said.isTerminal || answer.status === 402 };
  const act = door.gate.limited(word, now);
  const until = act.untilMs as Instant | null;
  if (act.act === 'park') {
    const why = word.isTerminal ? 'the quota is spent' : `status ${answer.status}`;
    door.calls.tell({ kind: 'limit_parked', until, why });
    return refusedNow(door, spec.api, call) ?? asItCame(spec, answer);
  }
  door.calls.tell({ kind: 'limit_waiting', call, until });
  if (spec.api !== 'gemini' || act.untilMs === null) return asItCame(spec, answer);
  const told = withRetryInfo(body, Math.max(0, act.untilMs - now));
  if (told === null) return asItCame(spec, answer);
  return asItCame(spec, { ...answer, body: Buffer.from(JSON.stringify(told)) });
}

/** Gemini's streaming calls fail with a list of one. */
const firstOf = (value: unknown): unknown => (Array.isArray(value) ? value[0] : value);

/** The same for every lane: claude would try for minutes, so it is stopped, and somebody told. */
function afterCredential(door: DoorParts, spec: ModelCallSpec, failed: FailedAnswer): Reply {
  const { status } = failed.answer;
  door.calls.tell({ kind: 'credential_refused', status, vendor: spec.service.vendor });
  // 403 may be about one model alone; 401 is about the key.
  if (status === 401) door.gate.credentialRefused();
  const why = { reason: 'credential_refused', detail: String(status) } as const;
  return refused(door, spec.api, why, failed.call);
}

function afterBreak(door: DoorParts, spec: ModelCallSpec, { answer, call }: FailedAnswer): Reply {
  const closed = breakNoted(door, spec, call);
  if (closed !== null) return closed;
  if (answer.status >= 500) return asItCame(spec, answer);
  return gatewayError(spec.api, answer.status === 408 ? 504 : 502);
}

/** Counts a failure; null while the door stays open. */
export function breakNoted(door: DoorParts, { api }: ModelCallSpec, call: number): Reply | null {
  if (!door.gate.failed()) return null;
  door.calls.tell({ kind: 'upstream_down', failures: door.gate.failures() });
  return refusedNow(door, api, call);
}

export function asItCame({ service }: Pick<ModelCallSpec, 'service'>, answer: Answered): Reply {
  const { credential } = service;
  const isReadable = (answer.headers['content-encoding'] ?? 'identity') === 'identity';
  const source = answer.body.toString('latin1');
  const holdsKey = isReadable && credential !== null && source.includes(credential);
  const body = holdsKey
    ? Buffer.from(source.replaceAll(credential, '[redacted]'), 'latin1')
    : answer.body;
  return { status: answer.status, body, headers: towardsLane(answer.headers, credential) };
}
