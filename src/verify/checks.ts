/** The verifier that the runtime itself is: one of these serves all runs of a process. */
import type { Checks } from '../ports/checks.ts';
import { baseline } from './baseline.ts';
import { criterionKinds } from './criteria/registry.ts';
import { furnish } from './furnish.ts';
import { checkJob, workshop } from './job.ts';
import { type RuntimeChecksOptions, runtimeChecksDefaults } from './options.ts';
import { verification } from './verification.ts';

export function runtimeChecks(options: RuntimeChecksOptions): Checks {
  const shop = workshop({ kinds: criterionKinds, ...runtimeChecksDefaults, ...options });
  return {
    baseline: async (request) => baseline(checkJob(shop, request)),
    verify: (request) => verification(shop, request, request.criteria),
    furnish: async (request) => furnish(checkJob(shop, request), request.directory),
  };
}
