/**
 * One request to a service and its answer back to the lane. Bytes pass unchanged, as they come, and
 * no faster than the lane reads. Nothing is sent to the lane before the first byte of the answer:
 * until then a hang can still become a 504, after which every CLI tries again; later only a broken
 * connection tells the truth, since a clean end passes for success (research/models-door.md §7).
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Deadline, deadline } from './deadline.ts';
import { towardsLane } from './headers.ts';
import type { Tee, TeeReport } from './tee.ts';
import type { Outbound, Service } from './upstream.ts';

export interface ExchangeSpec {
  readonly service: Service;
  readonly outbound: Outbound;
  readonly lane: ServerResponse;
  /** Null: nothing of the answer is read (lists, counts). */
  readonly tee: ((answer: IncomingMessage) => Tee) | null;
  readonly firstByteMs: number;
  readonly idleMs: number;
  readonly onHeaders: (status: number) => void;
  readonly onByte: (isFirst: boolean) => void;
}

export type Exchanged =
  /** Passed on, whole or in part; the lane has what there was. */
  | {
      readonly how: 'done' | 'cut' | 'left' | 'hung';
      readonly sent: true;
      readonly report: TeeReport | null;
    }
  /** Nothing was sent to the lane yet: the caller answers. `lost`: no answer, or an empty one. */
  | { readonly how: 'lost' | 'hung' | 'left'; readonly sent: false }
  | {
      readonly how: 'error';
      readonly sent: false;
      readonly status: number;
      readonly headers: IncomingMessage['headers'];
      readonly body: Buffer;
    };

/** An answer of failure is held whole, since it decides what follows. */
const errorBytesMax = 1024 * 1024;

export async function exchange(spec: ExchangeSpec): Promise<Exchanged> {
  const { service, outbound, lane } = spec;
  const sent = service.send(outbound);
  const watch = watched(lane, () => sent.destroy());
  watch.limit.arm(spec.firstByteMs);
  try {
    const answer = await headOf(sent.answer);
    if (answer === null) return { how: watch.ended() ?? 'lost', sent: false };
    const status = answer.statusCode ?? 502;
    spec.onHeaders(status);
    const isGood = status >= 200 && status < 300;
    return await (isGood ? relay(spec, answer, watch) : failure(answer, status, watch));
  } finally {
    watch.end();
    sent.destroy();
  }
}

/** Null: the service gave none. Why does not matter to the lane; it may try again. */
function headOf(answer: Promise<IncomingMessage>): Promise<IncomingMessage | null> {
  return answer.then(
    (head) => head,
    () => null,
  );
}

interface Watch {
  readonly limit: Deadline;
  /** What ended the exchange from this side, if anything did. */
  ended(): 'hung' | 'left' | null;
  end(): void;
}

/** A lane that hung up, or a deadline that passed, ends the request at the service at once. */
function watched(lane: ServerResponse, stop: () => void): Watch {
  let ended: 'hung' | 'left' | null = null;
  const because = (why: 'hung' | 'left') => {
    ended ??= why;
    stop();
  };
  const left = () => {
    if (!lane.writableFinished) because('left');
  };
  if (lane.destroyed) because('left');
  lane.once('close', left);
  const limit = deadline(() => because('hung'));
  return {
    limit,
    ended: () => ended,
    end() {
      lane.off('close', left);
      limit.stop();
    },
  };
}

/** Resolves when no more bytes come; true when all of them came. */
function drained(answer: IncomingMessage, take: (chunk: Buffer) => void): Promise<boolean> {
  return new Promise((resolve) => {
    // Broken before anybody could listen: no event would come any more.
    if (answer.destroyed) resolve(false);
    answer.on('data', take);
    answer.once('end', () => resolve(answer.complete));
    // A broken answer closes without an end; its error tells no more than that.
    answer.on('error', () => undefined);
    answer.once('close', () => resolve(false));
  });
}

async function failure(answer: IncomingMessage, status: number, watch: Watch): Promise<Exchanged> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const isWhole = await drained(answer, (chunk) => {
    bytes += chunk.byteLength;
    if (bytes <= errorBytesMax) chunks.push(chunk);
    else answer.destroy();
  });
  const ended = watch.ended();
  if (ended !== null) return { how: ended, sent: false };
  if (!isWhole) return { how: 'lost', sent: false };
  const { headers } = answer;
  return { how: 'error', sent: false, status, headers, body: Buffer.concat(chunks) };
}

async function relay(
  spec: ExchangeSpec,
  answer: IncomingMessage,
  watch: Watch,
): Promise<Exchanged> {
  const { lane, service } = spec;
  const read = spec.tee === null ? null : spec.tee(answer);
  let isSent = false;
  const head = () => {
    isSent = true;
    lane.writeHead(answer.statusCode ?? 200, towardsLane(answer.headers, service.credential));
  };
  const isWhole = await drained(answer, (chunk) => {
    const isFirst = !isSent;
    if (isFirst) {
      head();
      watch.limit.arm(spec.idleMs);
    } else watch.limit.touch();
    spec.onByte(isFirst);
    read?.push(chunk);
    if (!lane.write(chunk)) waitForLane(lane, answer, watch, spec.idleMs);
  });
  const report = read === null ? null : read.end();
  const ended = watch.ended();
  if (!isSent) {
    // An empty answer to a call of a model is none.
    if (ended !== null || !isWhole || report !== null) return { how: ended ?? 'lost', sent: false };
    head();
  }
  if (isWhole && ended === null && isProper(report)) {
    lane.end();
    return { how: 'done', sent: true, report };
  }
  lane.destroy();
  return { how: ended ?? 'cut', sent: true, report };
}

/** While the lane does not read, the service is not to blame for its silence. */
function waitForLane(
  lane: ServerResponse,
  answer: IncomingMessage,
  watch: Watch,
  idleMs: number,
): void {
  answer.pause();
  watch.limit.stop();
  lane.once('drain', () => {
    if (watch.ended() === null) watch.limit.arm(idleMs);
    answer.resume();
  });
}

/** Without its own end word a stream is broken, also where its bytes ended cleanly. */
function isProper(report: TeeReport | null): boolean {
  return report === null || !report.wantsEnd || report.isTerminal;
}
