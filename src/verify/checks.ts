/** The verifier that the runtime itself is: one of these serves all runs of a process. */
import type { Checks } from '../ports/checks.ts';
import { attest } from './attest.ts';
import { attestedFiles, attestFiles } from './attest-files.ts';
import { baseline } from './baseline.ts';
import { criterionKinds } from './criteria/registry.ts';
import { dryChecks, isDry } from './dry-checks.ts';
import { furnish } from './furnish.ts';
import { checkJob, workshop } from './job.ts';
import { memoTrees } from './memo-trees.ts';
import { type RuntimeChecksOptions, runtimeChecksDefaults } from './options.ts';
import { verification } from './verification.ts';

export function runtimeChecks(options: RuntimeChecksOptions): Checks {
  const settings = { kinds: criterionKinds, ...runtimeChecksDefaults, ...options };
  const shop = workshop({ ...settings, trees: memoTrees(options.trees) });
  return {
    baseline: async (request) =>
      isDry(request) ? dryChecks.baseline(request) : baseline(await checkJob(shop, request)),
    verify: (request) =>
      isDry(request) ? dryChecks.verify(request) : verification(shop, request, request.criteria),
    attest: (asked) => attest(shop.settings, asked),
    attestFiles: (asked) => attestFiles(shop.settings, asked),
    attestedFiles: (statement) => attestedFiles(shop.settings, statement),
    furnish: async (request) => furnish(await checkJob(shop, request), request.directory),
  };
}
