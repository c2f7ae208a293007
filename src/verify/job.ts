/** One request of the check host with everything that a part of the verifier needs to serve it. */
import { requireStarted, withheldValues } from '../kernel/starter-environment.ts';
import type { CheckRequest } from '../ports/checks.ts';
import { checkEnvironment } from './check-environment.ts';
import { type Copies, readCopies } from './environment/copies.ts';
import { type InstalledNotes, installedNotes } from './environment/installed.ts';
import { fileLocks, type Locks } from './environment/lock.ts';
import { diskShelf, type Shelf } from './environment/shelf.ts';
import { refuseFull } from './no-space.ts';
import type { CheckSettings } from './options.ts';
import { type CommandRun, runCommand } from './run-command.ts';

/** What lives as long as the process. */
export interface Workshop {
  readonly settings: CheckSettings;
  readonly shelf: Shelf;
  readonly notes: InstalledNotes;
  readonly locks: Locks;
  /** Version lines by the print of the tool's file. */
  readonly versions: Map<string, string>;
}

export interface CheckJob extends Workshop {
  readonly request: CheckRequest;
  readonly env: Readonly<Record<string, string>>;
  readonly copies: Copies;
  /** @throws WorldError `disk_full` when it failed for want of space: that is no result. */
  run(command: string, cwd: string, timeoutMs: number): Promise<CommandRun>;
}

export function workshop(settings: CheckSettings): Workshop {
  const { home, clock, environmentBytesMax: bytesMax } = settings;
  return {
    settings,
    shelf: diskShelf({ directory: `${home}/environments`, bytesMax, clock }),
    notes: installedNotes(`${home}/checks/installed`),
    locks: fileLocks(settings),
    versions: new Map(),
  };
}

export async function checkJob(shop: Workshop, request: CheckRequest): Promise<CheckJob> {
  const { definition } = request;
  requireStarted(shop.settings.env, definition.env);
  const env = checkEnvironment(shop.settings.env, definition);
  const withheld = Object.values(withheldValues(shop.settings.env, definition.env));
  // Without git the checks run where the ignored files lie.
  const entries = definition.source.base === null ? [] : definition.workspace.copy;
  const copies = await readCopies(shop.settings.trees, definition.project.root, entries);
  return {
    ...shop,
    request,
    env,
    copies,
    run: async (command, cwd, timeoutMs) => {
      const run = await runCommand(shop.settings, {
        command,
        cwd,
        env,
        timeoutMs,
        execution: request.execution,
        signal: request.signal,
        secrets: [...copies.secrets, ...withheld],
      });
      if (run.ended === 'exit' && run.exit !== 0) refuseFull(run, [cwd, shop.settings.home]);
      return run;
    },
  };
}
