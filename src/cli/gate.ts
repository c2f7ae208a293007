/** What `approve` and `reject` share: which run, which gate, and what waits when none is named. */
import type { RunView } from '../ports/client.ts';
import type { Principal } from '../ports/words.ts';
import { answer, type Context } from './command.ts';
import { nothingOf } from './empty.ts';
import { exits } from './exit.ts';
import { shortSpan } from './format.ts';
import { wrongVerb } from './next.ts';
import { firstLine } from './text.ts';
import { table } from './views/page.ts';
import { runJson } from './wire.ts';

/**
 * The run of a reference, or of the id of its open approval (`<run>.a<n>`), and who answers. A
 * human is asked for first, so that every refusal is recorded. @throws RequestError.
 */
export async function gatedRun(
  context: Context,
  reference: string,
  gate: { readonly verb: string; readonly more: string },
): Promise<{ readonly view: RunView; readonly principal: Principal }> {
  const named = /^(.+)\.a\d+$/.exec(reference);
  const view = await context.find(named?.[1] ?? reference);
  const line = `${context.called} ${gate.verb} ${view.short}${gate.more}`;
  const principal = await context.human(gate.verb, view, line);
  if (view.gate === null) throw wrongVerb(view, 'waiting for approval', context.called);
  if (named !== null && view.gate.approval !== reference) {
    throw wrongVerb(view, `waiting for ${reference} (open: ${view.gate.approval})`, context.called);
  }
  return { view, principal };
}

/** `pawl approve` alone lists what waits. */
export async function listGates(context: Context): Promise<number> {
  const client = await context.client();
  const waiting = await client.list({
    project: await context.projectFilter(),
    open: true,
    status: ['waiting_human'],
    since: null,
    limit: 100,
    demo: true,
  });
  const now = context.io.now();
  const rows = waiting.map((view) => [
    `? ${view.name} ${view.short}`,
    firstLine(
      view.gate?.kind === 'manual'
        ? view.gate.look
        : `protected: ${view.gate?.paths.join(', ') ?? ''}`,
    ),
    shortSpan(now - (view.gate?.askedAt ?? now)),
    `${context.called} approve ${view.short}`,
  ]);
  const lines =
    rows.length === 0
      ? nothingOf(context, 'nothing waits for approval', 'approve')
      : table(rows, context.style.columns);
  answer(context, lines, {
    schema: 'pawl.approvals/1',
    runs: waiting.map((view) => runJson(view)),
  });
  return exits.done;
}
