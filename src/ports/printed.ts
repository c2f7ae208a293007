/** What a lane printed, read page by page from its journal, and the last of it as lines. */
import { firstLine } from '../kernel/shown.ts';
import type { Client, LogLine } from './client.ts';
import { lineJoiner, lineMax, type PrintedLine } from './log-lines.ts';
import type { ExecutionId } from './words.ts';

type Logs = Pick<Client, 'log'>;

export const pageMax = 1_000;
const pagesMax = 1_000;

/** The journal of an execution from its beginning. */
export async function* pagesOf(
  client: Logs,
  execution: ExecutionId,
): AsyncGenerator<readonly LogLine[]> {
  let after = 0;
  for (let page = 0; page < pagesMax; page += 1) {
    const { lines } = await client.log(execution, after, pageMax);
    if (lines.length > 0) yield lines;
    if (lines.length < pageMax) return;
    after = lines.at(-1)?.seq ?? after;
  }
}

/** The last lines of what a lane printed, whose journal is given in its order. */
export function printedLines(execution: ExecutionId, max: number) {
  const joiner = lineJoiner(lineMax);
  let kept: readonly string[] = [];
  const keep = (lines: readonly PrintedLine[]): void => {
    const said = lines.map(({ text }) => firstLine(text)).filter((line) => line !== '');
    kept = [...kept, ...said].slice(-max);
  };
  return {
    add: (chunks: readonly LogLine[]): void => {
      for (const chunk of chunks) {
        if (printedKinds.has(chunk.kind)) keep(joiner.take(execution, chunk));
      }
    },
    last: (): readonly string[] => {
      keep(joiner.flush());
      return kept;
    },
  };
}

/** What the lane itself printed or said; records of ours are not. */
const printedKinds: ReadonlySet<string> = new Set(['stdout', 'stderr', 'screen', 'said']);

/** A longer journal is not read to its end for a few lines. */
const shortPagesMax = 10;

/** What it printed last, for people, oldest first; empty where that is not to be had. */
export async function lastPrinted(
  client: Logs,
  execution: ExecutionId,
  max: number,
): Promise<readonly string[]> {
  const lines = printedLines(execution, max);
  let pages = 0;
  for await (const chunks of pagesOf(client, execution)) {
    pages += 1;
    if (pages > shortPagesMax) return [];
    lines.add(chunks);
  }
  return lines.last();
}
