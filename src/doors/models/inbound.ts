/** The body of a request: held whole, since it is judged before it is passed on. Bounded in all. */
import type { IncomingMessage } from 'node:http';

export type Inbound =
  | { readonly how: 'read'; readonly body: Buffer }
  | { readonly how: 'too_large' }
  /** The lane hung up before it had said everything. */
  | { readonly how: 'left' };

/** Of one request; a conversation with pictures stays below. */
export const bodyBytesMax = 64 * 1024 * 1024;
/** Of all requests at once: a lane cannot fill the memory of its host. */
const heldBytesMax = 256 * 1024 * 1024;

export interface Intake {
  read(request: IncomingMessage): Promise<Inbound>;
  /** The body was passed on or refused: its room is free again. */
  release(body: Buffer): void;
}

export function intake(limits = { bodyBytesMax, heldBytesMax }): Intake {
  let held = 0;
  /** Null when it is too large; what was held of it is let go again. */
  const collected = async (request: IncomingMessage): Promise<Buffer | null> => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    let isKept = false;
    try {
      // Not destroyed on the way out: its connection still has to carry the answer.
      for await (const chunk of request.iterator({ destroyOnReturn: false })) {
        bytes += chunk.byteLength;
        held += chunk.byteLength;
        if (bytes > limits.bodyBytesMax || held > limits.heldBytesMax) return null;
        chunks.push(chunk);
      }
      isKept = true;
      return chunks.length === 1 ? (chunks[0] ?? empty) : Buffer.concat(chunks);
    } finally {
      if (!isKept) held -= bytes;
    }
  };
  return {
    async read(request) {
      try {
        const body = await collected(request);
        return body === null ? { how: 'too_large' } : { how: 'read', body };
      } catch (error: unknown) {
        if (request.destroyed) return { how: 'left' };
        throw error;
      }
    },
    release(body) {
      held -= body.byteLength;
    },
  };
}

const empty = Buffer.alloc(0);
