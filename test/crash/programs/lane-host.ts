import { laneHostProgram } from '../../../src/main/lane-host-program.ts';
import { killAt } from './kill-at.ts';

await laneHostProgram(import.meta.url, killAt('lane-host'));
