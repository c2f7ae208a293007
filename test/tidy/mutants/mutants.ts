/** All planted faults, in the order in which they are tried. */
import { cancels } from './cancels.ts';
import { drift } from './drift.ts';
import { grants } from './grants.ts';
import { leases } from './leases.ts';
import type { Mutant } from './mutant.ts';
import { once } from './once.ts';
import { principals } from './principals.ts';
import { recovery } from './recovery.ts';
import { slots } from './slots.ts';
import { verdicts } from './verdicts.ts';
import { worldly } from './worlds.ts';

export const mutants: readonly Mutant[] = [
  ...leases,
  ...grants,
  ...slots,
  ...recovery,
  ...cancels,
  ...verdicts,
  ...drift,
  ...once,
  ...principals,
  ...worldly,
];
