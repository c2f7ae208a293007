import { RequestError } from '../kernel/errors.ts';
import type { Command, Context } from './command.ts';
import { wrongVerb } from './next.ts';
import { report } from './report.ts';

export const command: Command = {
  name: 'accept',
  summary: 'Take a parked run as it is: complete, but overridden and not verified.',
  arguments: { usage: '<run>', min: 1, max: 1 },
  flags: [{ name: 'reason', kind: 'value', value: 'text', says: 'why; required' }],
  examples: ['pawl accept p0ne --reason "3 failures are known"'],
  run,
};

async function run(context: Context): Promise<number> {
  const { given, called } = context;
  const view = await context.find(given.words[0] ?? '');
  const reason = given.text('reason')?.trim() ?? '';
  const line = `${called} accept ${view.short} --reason "${reason === '' ? '…' : reason}"`;
  const principal = await context.human('accept', view, line);
  if (view.status !== 'needs_operator') throw wrongVerb(view, 'parked', called);
  if (reason === '')
    throw new RequestError('note_missing', 'accept needs a reason', { next: line });
  const client = await context.client();
  const accepted = await client.accept(view.id, reason, principal);
  return report(context, accepted, { line: `complete, overridden by operator: "${reason}"` });
}
