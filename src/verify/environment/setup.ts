/** Runs the setup command and says how it went. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { invariant } from '../../kernel/invariant.ts';
import type { CheckJob } from '../job.ts';
import { wasKilled } from '../killed.ts';
import type { SetupFailure } from '../place.ts';
import type { CommandRun } from '../run-command.ts';
import { bounded, lastLines, seconds } from '../summary.ts';
import { toolsNamed, versionCommand } from './tools.ts';

export async function runSetup(
  job: CheckJob,
  tree: string,
  key: string | null,
): Promise<{ readonly ok: true; readonly run: CommandRun } | SetupFailure> {
  const { project, workspace } = job.request.definition;
  invariant(workspace.setup !== null, 'setup runs only where there is one');
  const { command, timeoutMs } = workspace.setup;
  job.request.progress(`setup: ${command}`);
  // The folder may be gone at this commit; then the command says so in the root.
  const directory = join(tree, project.cwd);
  const cwd = existsSync(directory) ? directory : tree;
  const first = await job.run(command, cwd, timeoutMs);
  const isAgain = wasKilled(first) && !job.request.signal.aborted;
  if (isAgain) job.request.progress(`setup was ended by ${first.signal}; once more`);
  const run = isAgain ? await job.run(command, cwd, timeoutMs) : first;
  if (run.ended === 'exit' && run.exit === 0) return { ok: true, run };
  return { ok: false, key, run, message: setupMessage(command, run) };
}

function setupMessage(command: string, run: CommandRun): string {
  const end =
    run.ended === 'deadline'
      ? `no end within ${seconds(run.timeoutMs)}`
      : run.exit === null
        ? `ended by ${run.signal ?? run.ended}`
        : `exit ${run.exit}`;
  const said = lastLines(run.text, 3, 300).join(' | ');
  return `setup "${bounded(command, 80)}" failed: ${end}${said === '' ? '' : `: ${said}`}`;
}

/** One line per known tool that setup names; asked once per tool file and process. */
export async function toolVersions(job: CheckJob): Promise<readonly string[]> {
  const command = job.request.definition.workspace.setup?.command ?? '';
  const lines: string[] = [];
  for (const tool of toolsNamed(command, job.env['PATH'] ?? '')) {
    let version = job.versions.get(tool.print);
    if (version === undefined) {
      const run = await job.run(versionCommand(tool.name), job.settings.home, 20_000);
      const [first = 'unknown'] = run.text.split('\n');
      version = run.exit === 0 ? bounded(first, 80) : tool.print;
      if (run.exit === 0) job.versions.set(tool.print, version);
    }
    lines.push(`${tool.name} ${version}`);
  }
  return lines;
}
