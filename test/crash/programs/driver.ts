import { driverProgram } from '../../../src/main/driver-program.ts';
import { killAt } from './kill-at.ts';

/** The shipped spans are for nights; a table of fifty crashes wants its sweeps sooner. */
const spans = { sweepMs: 1_500, offerMs: 4_000 };

await driverProgram(import.meta.url, killAt('driver'), spans);
