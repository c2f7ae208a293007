/** A response as a sink for a stream: its reader may go, or read slowly. */
import type { ServerResponse } from 'node:http';
import type { Sink } from './event-stream.ts';

export interface ResponseSink {
  readonly sink: Sink;
  /** Aborts when the reader is gone, or by the outer signal. */
  readonly signal: AbortSignal;
  /** Ends the response; one that is still full of unread bytes is cut. */
  end(): void;
}

export function sinkOf(response: ServerResponse, outer: AbortSignal): ResponseSink {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  // A reader that resets the connection is gone, and that is all.
  response.on('error', () => gone.abort());
  const signal = AbortSignal.any([gone.signal, outer]);
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-accel-buffering': 'no',
    // A stream that ended leaves no idle connection that a server which ends would wait for.
    connection: 'close',
  });
  return {
    signal,
    sink: {
      write: (text) => response.write(text),
      drained: (ms) => drained(response, signal, ms),
    },
    end: () => {
      if (response.writableNeedDrain) response.destroy();
      else response.end();
    },
  };
}

function drained(response: ServerResponse, signal: AbortSignal, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (isDrained: boolean) => (): void => {
      clearTimeout(timer);
      response.off('drain', onDrain);
      signal.removeEventListener('abort', onAbort);
      resolve(isDrained);
    };
    const onDrain = settle(true);
    const onAbort = settle(false);
    const timer = setTimeout(onAbort, ms);
    response.once('drain', onDrain);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    else if (!response.writableNeedDrain) onDrain();
  });
}
