/**
 * The newest lines of the lane that works now, looked at twice a second and put together as `logs`
 * does. Whatever the lane printed, what comes out is text of bounded length: whoever draws it cuts
 * it to the width.
 */
import type { Client } from '../ports/client.ts';
import { lineJoiner } from '../ports/log-lines.ts';
import type { Context } from './command.ts';
import type { Standing } from './ending.ts';
import { unreadable } from './log-lines.ts';
import { firstLine } from './text.ts';

export interface LaneNow {
  /** Newest last, at most three. */
  readonly newest: readonly string[];
  /** Whole lines since the last look, oldest first. */
  readonly fresh: readonly string[];
}

const lookMs = 500;
const pageMax = 200;
const shownMax = 3;
const charactersMax = 8_192;
const nothing: LaneNow = { newest: [], fresh: [] };

export function laneTail(
  context: Context,
  client: Client,
): (standing: Standing) => Promise<LaneNow> {
  let execution: string | null = null;
  let after = 0;
  let joiner = lineJoiner(charactersMax);
  let newest: readonly string[] = [];
  let whole: readonly string[] = [];
  let lookedAt = Number.NEGATIVE_INFINITY;
  return async ({ view }) => {
    const now = context.io.monotonicMs();
    const current = view.phase === 'executing' ? view.execution : null;
    if (current === null) return nothing;
    if (current.id !== execution) {
      execution = current.id;
      joiner = lineJoiner(charactersMax);
      after = 0;
      newest = [];
      whole = [];
    } else if (now - lookedAt < lookMs) return { newest, fresh: [] };
    lookedAt = now;
    const page = await client.log(current.id, after, pageMax);
    after = page.lines.at(-1)?.seq ?? after;
    const told = page.lines.filter(({ kind }) => !unreadable.has(kind));
    const done = told.flatMap((chunk) => joiner.take(current.id, chunk));
    const fresh = shown(done);
    whole = [...whole, ...fresh].slice(-shownMax);
    newest = [...whole, ...shown(joiner.pending())].slice(-shownMax);
    return { newest, fresh };
  };
}

function shown(lines: readonly { readonly text: string }[]): string[] {
  return lines.map(({ text }) => firstLine(text)).filter((line) => line !== '');
}
