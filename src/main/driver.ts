import { driverProgram } from './driver-program.ts';

await driverProgram(import.meta.url);
