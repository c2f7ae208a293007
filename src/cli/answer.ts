import { RequestError } from '../kernel/errors.ts';
import { artifactText } from './artifacts.ts';
import type { Command, Context } from './command.ts';
import { inputsOf } from './inputs.ts';
import { wrongVerb } from './next.ts';
import { report } from './report.ts';

export const command: Command = {
  name: 'answer',
  summary: "Answer the agent's question; the run goes on with it.",
  arguments: { usage: '<run> [text]', min: 1, max: 2 },
  flags: [
    {
      name: 'file',
      short: 'f',
      kind: 'value',
      value: 'path|-',
      says: 'read the answer from a file or stdin',
    },
  ],
  examples: ['pawl answer 7k2m "keep the old API"'],
  run,
};

async function run(context: Context): Promise<number> {
  const { given, called } = context;
  const [reference = '', word] = given.words;
  const view = await context.find(reference);
  const principal = await context.human('answer', view, `${called} answer ${view.short} "…"`);
  if (view.reason !== 'blocked_by_question') throw wrongVerb(view, 'waiting for an answer', called);
  const text = await textOf(context, word ?? null);
  const client = await context.client();
  const question = await artifactText(client, view.text);
  const answered = await client.answer(view.id, text, principal);
  await client.ensureDriver();
  return report(context, answered, {
    line: 'answered; the run goes on',
    fields: { question, answer: text },
  });
}

async function textOf(context: Context, word: string | null): Promise<string> {
  const path = context.given.text('file');
  const { file, input } = inputsOf(context);
  const read = path === null ? word : path === '-' ? await input(1_000_000) : await file(path);
  if (read !== null && read.trim() !== '') return read.trim();
  throw new RequestError(
    'note_missing',
    path === null ? 'no answer is given' : `nothing to read in ${path}`,
    {
      next: 'pawl answer <run> "…"   or  --file <path>',
    },
  );
}
