import { laneHostProgram } from './lane-host-program.ts';

await laneHostProgram(import.meta.url);
