/** What is done to a run, what must be shown of it, and how it must end; and the words for that. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../support/processes.ts';
import type { Setting } from './open-stage.ts';
import { type Page, type Stage, starts, waitMs } from './stage.ts';

export interface Fault {
  readonly name: string;
  /** The run that it befalls; absent: a command on this machine. */
  readonly of?: Setting;
  readonly strike: (stage: Stage) => void;
  /**
   * What is shown while it stands; null: it stands for no time, since it is healed where it is met.
   */
  readonly truth: ((page: Page, stage: Stage) => boolean) | null;
  /** Its agent works on for so long before the rest: whoever looks now and then has looked. */
  readonly lastsMs?: number;
  /** Nobody waits for the run before the truth was shown: whoever waits starts a driver. */
  readonly isLookedAtFirst?: true;
  /** The outside world is as before; nothing: the run has to come to terms with it. */
  readonly undo?: (stage: Stage) => void;
  /**
   * Whoever works then: `again`, a new execution of the attempt; `same`, the one that was there;
   * `nobody`, since a human is asked.
   */
  readonly worker: 'again' | 'same' | 'nobody';
  readonly end: 'recovered' | string;
  readonly attempts: number;
  /** How many executions of its agent there were; absent: it is not counted. */
  readonly executions?: number;
  /** What must be true of the world in the end, beyond what holds for all. */
  readonly alsoHolds?: (stage: Stage) => void;
  /** Artifacts stay changed by it: an audit names them, and nothing else. */
  readonly spoils?: true;
  /** Over in seconds: tried at every commit, too. */
  readonly isQuick?: true;
}

export const lane = ({ found, work }: Stage) => found(work.agent).filter(isLane);
const isLane = ({ command }: { readonly command: string }) => command.startsWith('node ');
export const host = ({ found }: Stage) => found('lane-host');
export const driver = ({ found }: Stage) => found('/driver.js');

/** Never healthy over a dead lane: what is shown is trouble, or whoever came after it. */
export const notAtWork = ({ run }: Page, stage: Stage): boolean =>
  starts(stage).length > 1 || run.liveness === null || !run.liveness.state.startsWith('working');
const needsHuman = ({ run }: Page): boolean => run.status === 'needs_operator';

export const again = { worker: 'again', end: 'recovered', attempts: 1 } as const;
export const same = { worker: 'same', end: 'recovered', attempts: 1 } as const;
export const asks = (reason: string) =>
  ({ truth: needsHuman, worker: 'nobody', end: reason, attempts: 1 }) as const;

export const sizeOf = (file: string): number => readFileSync(file).byteLength;

export function spooledBy({ own, work }: Stage): readonly string[] {
  const [begun] = work.wrote();
  const folder = join(own.home, 'spool', begun?.execution ?? '');
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => join(folder, name));
}

export function treesOf({ work }: Stage): readonly string[] {
  return work
    .git('worktree', 'list', '--porcelain')
    .split('\n')
    .flatMap((line) => (line.startsWith('worktree ') ? [line.slice('worktree '.length)] : []))
    .filter((tree) => tree !== work.directory);
}

export const branchOf = (work: Stage['work']): string =>
  work.git('for-each-ref', '--format=%(refname:short)', 'refs/heads/pawl');

/** By somebody who has the repository open: a commit that pawl does not know. */
export function moveBranch({ work }: Stage): void {
  const foreign = work.git('commit-tree', 'main^{tree}', '-p', 'main', '-m', 'by somebody');
  work.git('update-ref', `refs/heads/${branchOf(work)}`, foreign);
}

export function artifactsOf({ own }: Stage): readonly string[] {
  const listed = spawnSync('find', [join(own.home, 'artifacts'), '-type', 'f'], {
    encoding: 'utf8',
  });
  return listed.stdout.split('\n').filter((line) => line !== '' && existsSync(line));
}

/** Another execution of it works, or the one that was there goes on. */
export async function worksOn(
  stage: Stage,
  { worker, lastsMs = 0 }: Pick<Fault, 'worker' | 'lastsMs'>,
): Promise<boolean> {
  if (worker === 'again') return until(() => starts(stage).length > 1, waitMs);
  const at = () => stage.work.wrote().at(-1)?.at ?? 0;
  const before = at();
  return until(() => at() > before + lastsMs, waitMs);
}
