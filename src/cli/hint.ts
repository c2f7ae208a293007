import { RequestError } from '../kernel/errors.ts';
import type { Command, Context } from './command.ts';
import { wrongVerb } from './next.ts';
import { report } from './report.ts';

export const command: Command = {
  name: 'hint',
  summary: 'Add context for the next turn of a run.',
  arguments: { usage: '<run> <text>', min: 2, max: 2 },
  flags: [
    {
      name: 'when',
      kind: 'value',
      value: 'next-turn|next-attempt',
      says: 'when it is given',
      later: 'it comes with the next change',
    },
  ],
  examples: ['pawl hint 7k2m "the bug is in weeks.ts"'],
  run,
};

async function run(context: Context): Promise<number> {
  const [reference = '', text = ''] = context.given.words;
  const view = await context.find(reference);
  if (view.status === 'complete' || view.status === 'cancelled')
    throw wrongVerb(view, 'open', context.called);
  if (text.trim() === '') {
    throw new RequestError('note_missing', 'the hint is empty', {
      next: `pawl hint ${view.short} "…"`,
    });
  }
  const hinted = await (await context.client()).hint(
    view.id,
    text.trim(),
    await context.principal(),
  );
  return report(context, hinted, {
    line: 'hint taken for the next turn',
    fields: { addedContext: [text.trim()] },
  });
}
