/**
 * What a verb that changed a run answers with: one line on what became of it, and what to type
 * next.
 */
import type { RunView } from '../ports/client.ts';
import { answer, type Context } from './command.ts';
import { exits } from './exit.ts';
import { stepsFor } from './next.ts';
import { padTo } from './text.ts';
import { runJson } from './wire.ts';

export function report(
  context: Context,
  view: RunView,
  said: { readonly line: string; readonly fields?: Readonly<Record<string, unknown>> },
): number {
  const steps = stepsFor(view, context.called).slice(0, 3);
  const width = Math.max(0, ...steps.map(({ command }) => command.length));
  const next = steps.map(
    ({ command, effect }, i) =>
      `${i === 0 ? 'next' : '    '}      ${padTo(command, width)}   ${effect}`,
  );
  const lines = [`${view.name} ${view.short} · ${said.line}`, ...(context.isQuiet ? [] : next)];
  answer(context, lines, { ...runJson(view), ...said.fields });
  return exits.done;
}
