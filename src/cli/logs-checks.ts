/** `pawl logs --checks`: what the checks of an attempt printed, each under its result. */
import type { Client, RunView } from '../ports/client.ts';
import type { Story } from '../ports/story.ts';
import type { CriterionResult } from '../ports/words.ts';
import { artifactText } from './artifacts.ts';
import type { Context } from './command.ts';
import { verdictsOf } from './ending.ts';
import { exits } from './exit.ts';
import { boundedLine, visible } from './log-lines.ts';
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
    } else {
      // Not through `print`, which would take control characters out of what is asked for raw.
      for (const line of outputLines(context, { n, result, output, linesMax }))
        context.io.stdout.write(`${line}\n`);
    }
  }
  if (verdicts.length === 0) context.note([`attempt ${n} has no verdict yet`]);
  return exits.done;
}

function outputLines(
  { given, io, called }: Context,
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
  if (given.has('raw')) return [head, ...(io.stdout.isTerminal ? lines.map(visible) : lines)];
  const whole = `${called} logs ${given.words[0] ?? ''} --checks --raw > file`;
  return [head, ...lines.map((line) => boundedLine(line, 0, whole))];
}

function lastVerified(story: Story): number | null {
  return [...story.attempts.values()].findLast(({ verdicts }) => verdicts.length > 0)?.n ?? null;
}
