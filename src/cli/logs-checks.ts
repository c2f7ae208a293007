/** `pawl logs --checks`: what the checks of an attempt printed, each under its result. */
import type { Client, RunView } from '../ports/client.ts';
import type { CriterionResult } from '../ports/words.ts';
import { artifactText } from './artifacts.ts';
import type { Context } from './command.ts';
import { verdictsOf } from './ending.ts';
import { exits } from './exit.ts';
import type { Story } from './story.ts';
import { clean } from './text.ts';
import { resultWords } from './views/final.ts';

export async function checkLogs(
  context: Context,
  client: Client,
  run: { readonly view: RunView; readonly story: Story },
  linesDefault: number,
): Promise<number> {
  const { given } = context;
  const n = given.whole('attempt', 1) ?? lastVerified(run.story) ?? run.view.attempt.n;
  const view = { ...run.view, attempt: { ...run.view.attempt, n } };
  const verdicts = await verdictsOf(client, { view, story: run.story });
  const linesMax = given.whole('lines', 0) ?? linesDefault;
  for (const result of verdicts.flatMap(({ criteria }) => criteria)) {
    const output = await artifactText(client, result.output);
    if (context.isJson) {
      const { id } = view;
      context.json({
        schema: 'pawl.check/1',
        run: id,
        attempt: n,
        ...result,
        output,
        untrusted: true,
      });
    } else context.print(outputLines(context, { n, result, output, linesMax }));
  }
  if (verdicts.length === 0) context.note([`attempt ${n} has no verdict yet`]);
  return exits.done;
}

function outputLines(
  { given }: Context,
  of: {
    readonly n: number;
    readonly result: CriterionResult;
    readonly output: string | null;
    readonly linesMax: number;
  },
): string[] {
  const text = of.output ?? '(its output was pruned)';
  const lines = of.linesMax === 0 ? [] : text.replace(/\n$/, '').split('\n').slice(-of.linesMax);
  const head = `── attempt ${of.n} · ${resultWords(of.result)}`;
  return [head, ...(given.has('raw') ? lines : lines.map(clean))];
}

function lastVerified(story: Story): number | null {
  return [...story.attempts.values()].findLast(({ verdicts }) => verdicts.length > 0)?.n ?? null;
}
