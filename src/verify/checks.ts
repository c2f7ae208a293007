import { WorldError } from '../kernel/errors.ts';
import type { Checks } from '../ports/checks.ts';
import type { RuntimeChecksOptions } from './options.ts';

export function runtimeChecks(options: RuntimeChecksOptions): Checks {
  const missing = () => Promise.reject(new WorldError('internal_error', options.home));
  return { baseline: missing, verify: missing, furnish: missing };
}
