/**
 * Puts an answer on the wire, whole or astray. Nothing here ends by a clock: what was written has
 * left the process before a connection is cut or falls silent, and a silent one ends when the
 * client goes away or the server closes.
 */
import type { ServerResponse } from 'node:http';
import type { Fields } from '../../kernel/json.ts';
import type { ServerEvent } from './api.ts';
import type { Astray } from './failures.ts';

/** The body of an answer in the order of its bits. */
export interface Wire {
  readonly type: 'application/json' | 'text/event-stream';
  readonly bits: readonly string[];
  /** What says, in the middle, that it cannot go on; null where a whole body has no such place. */
  readonly error: string | null;
}

export function sendJson(
  outgoing: ServerResponse,
  answer: { readonly status: number; readonly body: Fields },
  headers: Readonly<Record<string, string>> = {},
): void {
  outgoing.writeHead(answer.status, { 'content-type': 'application/json', ...headers });
  outgoing.end(JSON.stringify(answer.body));
}

export function wholeWire(body: Fields): Wire {
  const text = JSON.stringify(body);
  const size = Math.ceil(text.length / 8);
  const bits = Array.from({ length: 8 }, (_, n) => text.slice(n * size, (n + 1) * size));
  return { type: 'application/json', bits: bits.filter((bit) => bit !== ''), error: null };
}

export function eventWire(events: readonly ServerEvent[], error: ServerEvent): Wire {
  return { type: 'text/event-stream', bits: events.map(eventText), error: eventText(error) };
}

function eventText({ event, data }: ServerEvent): string {
  const name = event === null ? '' : `event: ${event}\n`;
  return `${name}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
}

/** Gemini streams a JSON array, one element after the other, when no events were asked for. */
export function arrayWire(events: readonly ServerEvent[], error: ServerEvent): Wire {
  const texts = events.map(({ data }, n) => `${n === 0 ? '[' : ',\r\n'}${JSON.stringify(data)}`);
  return {
    type: 'application/json',
    bits: [...texts, ']'],
    error: `,\r\n${JSON.stringify(error.data)}]`,
  };
}

/** Settles when all was sent, or when the client is gone. */
export async function send(outgoing: ServerResponse, { type, bits }: Wire): Promise<void> {
  outgoing.writeHead(200, headersOf(type));
  for (const bit of bits) await written(outgoing, bit);
  outgoing.end();
}

export async function sendAstray(
  outgoing: ServerResponse,
  wire: Wire,
  way: Astray & { readonly everyMs: number },
): Promise<void> {
  if (way.from === 'start' && way.how === 'silence') return gone(outgoing);
  if (way.from === 'start' && way.how === 'cut') return cut(outgoing);
  outgoing.writeHead(200, headersOf(wire.type));
  outgoing.flushHeaders();
  if (way.how === 'slowly') return slowly(outgoing, wire, way.everyMs);
  // One bit at least has been sent and one at least never is.
  const middle = Math.max(1, Math.floor(wire.bits.length / 2));
  const sent = way.from === 'middle' ? wire.bits.slice(0, middle) : [];
  for (const bit of sent) await written(outgoing, bit);
  if (way.how === 'silence') return gone(outgoing);
  if (way.how === 'cut') return cut(outgoing);
  if (way.how === 'garbage') await written(outgoing, garbage(wire));
  if (way.how === 'error') await written(outgoing, wire.error ?? '');
  outgoing.end();
}

const broken = '{"oops": [1,2,,}';

const garbage = ({ type }: Wire) => (type === 'text/event-stream' ? `data: ${broken}\n\n` : broken);

async function slowly(outgoing: ServerResponse, wire: Wire, everyMs: number): Promise<void> {
  for (const bit of wire.bits) {
    await written(outgoing, bit);
    if (outgoing.destroyed) return;
    await paused(outgoing, everyMs);
  }
  outgoing.end();
}

const headersOf = (type: Wire['type']) =>
  type === 'text/event-stream'
    ? { 'content-type': type, 'cache-control': 'no-cache' }
    : { 'content-type': type };

function cut(outgoing: ServerResponse): void {
  outgoing.socket?.destroy();
}

/** Settles when the bit has left the process, or when nobody is there any more to get it. */
function written(outgoing: ServerResponse, bit: string): Promise<void> {
  return untilGone(outgoing, (settle) => {
    outgoing.write(bit, () => settle());
  });
}

function paused(outgoing: ServerResponse, ms: number): Promise<void> {
  return untilGone(outgoing, (settle) => {
    const timer = setTimeout(settle, ms);
    return () => clearTimeout(timer);
  });
}

function gone(outgoing: ServerResponse): Promise<void> {
  return untilGone(outgoing, () => undefined);
}

function untilGone(
  outgoing: ServerResponse,
  begin: (settle: () => void) => (() => void) | undefined,
): Promise<void> {
  return new Promise((resolve) => {
    if (outgoing.destroyed) return resolve();
    let undo: (() => void) | undefined;
    const settle = () => {
      outgoing.off('close', settle);
      undo?.();
      resolve();
    };
    outgoing.once('close', settle);
    undo = begin(settle);
  });
}
