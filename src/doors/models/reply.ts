/** Answers of the door itself. A lane that has gone in the meantime is not told anything. */
import type { ServerResponse } from 'node:http';

export interface Reply {
  readonly status: number;
  readonly body: string | Buffer;
  /** Absent: JSON. */
  readonly headers?: Readonly<Record<string, string | string[]>>;
}

const json = { 'content-type': 'application/json' };

export function answerWith(lane: ServerResponse, reply: Reply): void {
  if (lane.destroyed || lane.headersSent) return;
  // What was not read of the request is let go, so that the lane comes to hear the answer.
  lane.req.resume();
  const body = typeof reply.body === 'string' ? Buffer.from(reply.body, 'utf8') : reply.body;
  lane.writeHead(reply.status, {
    ...(reply.headers ?? json),
    'content-length': body.byteLength,
  });
  lane.end(body);
}
