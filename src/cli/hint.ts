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
      value: 'when',
      says: 'who gets it first (next-turn)',
      oneOf: ['next-turn', 'next-attempt'],
    },
  ],
  examples: [
    'pawl hint 7k2m "the bug is in weeks.ts"',
    'pawl hint 7k2m "do not touch css" --when next-attempt',
  ],
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
  const when = context.given.text('when') === 'next-attempt' ? 'next-attempt' : 'next-turn';
  const client = await context.client();
  const hinted = await client.hint(view.id, text.trim(), await context.principal(), when);
  return report(context, hinted, {
    line: `hint taken for the ${when.replace('-', ' ')}`,
    fields: { addedContext: [text.trim()] },
  });
}
