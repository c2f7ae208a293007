/**
 * `pawl status`, and what `pawl` is: `dist/status.cjs`, run by `binary.ts` in the same process.
 */
import { pawl } from './pawl-program.ts';

void pawl(__filename);
