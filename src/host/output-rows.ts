/**
 * The rows of a plain output, as liveness wants them: lines and what carriage returns paint over
 * them, without colours. Bounded: of a flood the newest rows are kept, of a long row its beginning.
 */
import { stripVTControlCharacters } from 'node:util';

const rowsMax = 200;
const columnsMax = 1_000;

export interface OutputRows {
  push(bytes: Uint8Array): void;
  /** What came since the last time; a row that has not ended yet is among them. */
  take(): readonly string[];
}

export function outputRows(): OutputRows {
  const decoder = new TextDecoder();
  let rows: string[] = [];
  let open = '';
  return {
    push(bytes) {
      const parts = (open + decoder.decode(bytes, { stream: true })).split(/[\r\n]+/);
      open = (parts.pop() ?? '').slice(0, columnsMax);
      rows = [...rows, ...parts.slice(-rowsMax)].slice(-rowsMax);
    },
    take() {
      const taken = [...rows, open].map((row) =>
        stripVTControlCharacters(row.slice(0, columnsMax)),
      );
      rows = [];
      return taken;
    },
  };
}
