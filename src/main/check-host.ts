import { checkHostProgram } from './check-host-program.ts';

await checkHostProgram(import.meta.url);
