/** Reports a run's end to GitHub Actions (UX 3.4). Outside of it nothing happens. */
import { randomUUID } from 'node:crypto';
import type { Context } from './command.ts';
import { type Standing, verdictsOf } from './ending.ts';
import { annotationLines, summaryMarkdown, untrusted } from './views/github.ts';

export interface ActionsReport {
  readonly isOn: boolean;
  /** From here on no printed line is a command of the runner, whatever a lane wrote. */
  begin(): void;
  /** Once, when the view has ended. */
  end(): void;
  /** Writes the step's summary, and annotations. */
  report(standing: Standing, page: readonly string[]): Promise<void>;
}

const none: ActionsReport = {
  isOn: false,
  begin: () => undefined,
  end: () => undefined,
  report: async () => undefined,
};

export function actionsReport(context: Context): ActionsReport {
  const { env } = context.options;
  if (env['GITHUB_ACTIONS'] !== 'true') return none;
  // With --json stdout is for the objects alone; the runner reads both.
  const out = context.isJson ? context.io.stderr : context.io.stdout;
  const guard = untrusted(randomUUID());
  let isGuarded = false;
  const end = (): void => {
    if (isGuarded) out.write(`${guard.end}\n`);
    isGuarded = false;
  };
  return {
    isOn: true,
    begin: () => {
      out.write(`${guard.begin}\n`);
      isGuarded = true;
    },
    end,
    report: async (standing, page) => {
      end();
      const client = await context.client();
      const verdicts = await verdictsOf(client, standing);
      const said = { view: standing.view, verdicts, page, called: context.called };
      for (const line of annotationLines(said)) out.write(`${line}\n`);
      const path = env['GITHUB_STEP_SUMMARY'];
      if (path === undefined || path === '') return;
      await context.io.appendFile(path, summaryMarkdown(said));
    },
  };
}
