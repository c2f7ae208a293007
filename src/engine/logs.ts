/**
 * The journal of an execution: from its spool while that lies there, from its artifact afterwards.
 */

import type { ExecutionEvent } from '../domain/execution/message.ts';
import type { Digest, ExecutionId, Instant } from '../domain/ids.ts';
import type { Client } from '../ports/client.ts';
import { type JournalLine, parseJournal } from '../ports/journal.ts';
import { legibleOf } from './artifact-text.ts';
import type { Engine } from './engine.ts';
import { hasEnded, isExecutionEvent } from './fold.ts';
import { runOf } from './run-of.ts';
import { streamOf } from './stream-pages.ts';

/** The journal in the spool of this machine as lines of JSON; null when there is none. */
export type SpoolReader = (execution: ExecutionId) => Promise<string | null>;

export function logs(engine: Engine, readSpool: SpoolReader): Pick<Client, 'log'> {
  return {
    log: async (execution, after, limit) => {
      // Asked before the lines are read, so that "ended" cannot hide a line written in between.
      const ended = await endOfLog(engine, execution);
      const text =
        (await readSpool(execution)) ??
        (ended?.journal == null ? null : await legibleOf(engine.artifacts, ended.journal)) ??
        '';
      const lines = parseJournal(text)
        .filter(({ seq }) => seq > after)
        .slice(0, limit);
      return { lines: lines.map(shown), ended: ended !== null && lines.length < limit };
    },
  };
}

const shown = ({ seq, at, kind, text }: JournalLine) => ({ seq, at: at as Instant, kind, text });

/** Null while the execution is open; else the artifact that its journal became. */
async function endOfLog(
  engine: Engine,
  execution: ExecutionId,
): Promise<{ readonly journal: Digest | null } | null> {
  const run = runOf(execution);
  const loaded = await engine.store.loadRun(run);
  const open = loaded?.aggregate.executions.find(({ id }) => id === execution);
  if (open !== undefined && !hasEnded(open)) return null;
  let journal: Digest | null = null;
  for await (const { event } of streamOf(engine.store, run)) {
    if (isExecutionEvent(event) && event.id === execution) journal = journalIn(event) ?? journal;
  }
  return { journal };
}

function journalIn(event: ExecutionEvent): Digest | null {
  const result = 'result' in event ? event.result : null;
  if (result === null || result.kind === 'prepared') return null;
  return result.journal ?? null;
}
