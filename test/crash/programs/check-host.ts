import { checkHostProgram } from '../../../src/main/check-host-program.ts';
import { killAt } from './kill-at.ts';

await checkHostProgram(import.meta.url, killAt('check-host'));
