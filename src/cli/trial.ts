/** Tries setup and checks in a clean checkout of the base; words of UX 1.2, 4.4-3 and 4.4-4. */
import { RequestError } from '../kernel/errors.ts';
import type { Definition } from '../ports/words.ts';
import type { Context } from './command.ts';
import type { Discovery } from './discovery.ts';
import { short } from './format.ts';
import { hadNoEnd, oneShot } from './never-ending.ts';
import { greenWarning } from './views/check-green.ts';
import { type Trial, trialLines } from './views/trial.ts';

/** Shown as it goes. Ctrl-C ends the checks, with proof, and then the command. */
export async function tryChecks(context: Context, definition: Definition): Promise<Trial> {
  const { io, options, style } = context;
  context.print(['', `Trying the checks on the base commit, in ${whereWords(definition)} …`]);
  const stop = new AbortController();
  const unwatch = io.onSignal('SIGINT', () => stop.abort());
  let setupAt: number | null = null;
  let setupMs: number | null = null;
  try {
    const report = await options.tryBaseline({
      definition,
      signal: stop.signal,
      progress: (line) => {
        const now = io.monotonicMs();
        if (line.startsWith('setup: ')) setupAt = now;
        else if (setupAt !== null) setupMs ??= now - setupAt;
      },
    });
    const setup = definition.workspace.setup?.command ?? null;
    const trial: Trial = { report, setup, setupMs };
    context.print(trialLines(trial, style.columns));
    return trial;
  } finally {
    unwatch();
  }
}

function whereWords({ source }: Definition): string {
  return source.base === null ? 'the folder itself' : 'a clean checkout';
}

/** The refusal of a base on which no attempt would have had a chance; null when it can run. */
export function unrunnable(
  { report }: Trial,
  definition: Definition,
  found: Discovery,
): RequestError | null {
  if (report.outcome !== 'unrunnable') return null;
  const { base, baseBranch } = definition.source;
  const at = `${baseBranch === null ? '' : `${baseBranch}@`}${short(base)}`;
  const where = base === null ? 'in this folder' : `in a clean checkout of ${at}`;
  const { what, why } = causeOf({ report }, definition);
  return new RequestError('check_unrunnable', `"${what}" cannot run ${where}`, {
    found: why,
    next: hadNoEnd(why) ? oneShot : nextWords(definition, found.detected),
  });
}

function causeOf({ report }: Pick<Trial, 'report'>, definition: Definition) {
  if (report.unrunnable !== null) {
    const { what, found, likely } = report.unrunnable;
    return { what, why: likely === null ? found : `${found}     (likely: ${likely})` };
  }
  const setup = definition.workspace.setup?.command;
  if (report.setup === 'failed' && setup !== undefined) {
    return { what: setup, why: report.message ?? report.summary };
  }
  return { what: report.criteria.at(-1)?.what ?? 'a check', why: report.summary };
}

/** With the setup that was found here, where none was told. */
export function nextWords(
  { workspace }: Definition,
  { setup }: Pick<Discovery['detected'], 'setup'>,
): string {
  if (workspace.setup === null && setup !== null) {
    const flag = `--setup ${JSON.stringify(setup.command)}`;
    return `${flag}  (found: ${setup.from});   pawl checks ${flag} --run  tries it`;
  }
  return 'correct setup or check;   pawl checks --setup "…" --check "…" --run  tries it';
}

/** Every check passes already: said, not refused (UX 1.4). */
export function greenLines({ report }: Trial, definition: Definition): readonly string[] {
  if (report.outcome !== 'green') return [];
  return greenWarning(
    report.criteria.map(({ what }) => what),
    definition,
  );
}
