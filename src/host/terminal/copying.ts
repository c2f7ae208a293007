/**
 * Copies to a file descriptor in order, without keeping its source from being read meanwhile: what
 * a terminal holds when its program ends has to be read at once, or it is lost.
 */
import { write } from 'node:fs';

/** More than this waits for its reader, and so does the source. */
const waitingBytesMax = 8 * 1024 * 1024;
/** A descriptor that takes no more for now is asked again after this. */
const retryMs = 5;

export interface Copying {
  push(chunk: Buffer): void;
  /** Nothing more comes; `then` is called when all is written, or nobody reads it any more. */
  end(then: () => void): void;
}

/** `lost`: called once, when nobody reads any more. */
export function copying(
  fd: number,
  source: { pause(): void; resume(): void },
  lost: () => void,
): Copying {
  let waiting: readonly Buffer[] = [];
  let bytes = 0;
  let state: 'idle' | 'writing' | 'lost' = 'idle';
  let ended: (() => void) | null = null;
  const lose = () => {
    state = 'lost';
    waiting = [];
    lost();
    ended?.();
  };
  const next = () => {
    if (waiting.length === 0) {
      state = 'idle';
      ended?.();
      return;
    }
    state = 'writing';
    const chunk = Buffer.concat(waiting);
    waiting = [];
    write(fd, chunk, (error, written) => {
      if (error === null) wrote(chunk, written, next);
      // Full for now.
      else if (error.code === 'EAGAIN') wrote(chunk, 0, () => setTimeout(next, retryMs));
      else lose();
    });
  };
  const wrote = (chunk: Buffer, written: number, then: () => void) => {
    const rest = chunk.subarray(written);
    if (rest.length > 0) waiting = [rest, ...waiting];
    bytes -= written;
    if (bytes <= waitingBytesMax) source.resume();
    then();
  };
  return {
    push(chunk) {
      if (state === 'lost') return;
      waiting = [...waiting, chunk];
      bytes += chunk.length;
      if (bytes > waitingBytesMax) source.pause();
      if (state === 'idle') next();
    },
    end(then) {
      ended = then;
      if (state !== 'writing') then();
    },
  };
}
