/**
 * Tries setup and checks on the base commit, as the first part of a run would, without a run: the
 * result is kept where a run looks for it.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { BaselineReport, TryBaseline } from '../cli/composition.ts';
import type { ExecutionId, RunId } from '../domain/ids.ts';
import { gitCheckTrees } from '../git/check-trees.ts';
import { nodeClock } from '../host/clock.ts';
import { nodeProcesses } from '../host/processes.ts';
import type { Artifacts } from '../ports/artifacts.ts';
import { diskArtifacts } from '../store/artifacts/disk-artifacts.ts';
import type { BaselineDetail } from '../verify/baseline.ts';
import { runtimeChecks } from '../verify/checks.ts';
import { diskSigner } from '../verify/signer.ts';
import { keyDirectory } from './places.ts';
import type { Surroundings } from './surroundings.ts';

export async function tryBaseline(
  around: Surroundings,
  { definition, progress, signal }: Parameters<TryBaseline>[0],
): Promise<BaselineReport> {
  const { home, env } = around;
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const artifacts = diskArtifacts({ directory: join(home, 'artifacts') });
  const checks = runtimeChecks({
    trees: gitCheckTrees({ home, env }),
    processes: nodeProcesses({
      stateDirectory: join(home, 'containment'),
      path: around.env['PATH'],
    }),
    artifacts,
    clock: nodeClock(),
    home,
    signer: diskSigner({ directory: keyDirectory(around) }),
    env,
  });
  const result = await checks.baseline({
    run: 'baseline' as RunId,
    execution: `baseline-${process.pid}` as ExecutionId,
    definition,
    commit: definition.source.base,
    directory: null,
    signal,
    progress,
    restoreProtected: false,
  });
  const { baseline: outcome, setup, summary } = result;
  return { outcome, setup, summary, ...(await detailOf(artifacts, result.detail)) };
}

async function detailOf(
  artifacts: Artifacts,
  digest: Parameters<Artifacts['get']>[0] | null,
): Promise<Pick<BaselineReport, 'criteria' | 'unrunnable' | 'message'>> {
  const bytes = digest === null ? null : await artifacts.get(digest);
  if (bytes === null) return { criteria: [], unrunnable: null, message: null };
  const detail: BaselineDetail = JSON.parse(new TextDecoder().decode(bytes));
  const { criteria, unrunnable, setup } = detail;
  return { criteria, unrunnable, message: setup.message };
}
