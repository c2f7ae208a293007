/** `pawl status` alone, bundled to `dist/status.cjs`: started by `pawl.ts` in the same process. */
import { pawl } from './pawl-program.ts';

void pawl(__filename);
