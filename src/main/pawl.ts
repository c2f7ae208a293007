/** All of the command line; `binary.ts` is what users start. */
import { pawl } from './pawl-program.ts';

await pawl(import.meta.url);
