/**
 * Prints `N passed, N failed` from vitest's JSON report, and exits 1 unless everything passed.
 * A run that ended badly counts as one failure even when no test says so: a failed type check or a
 * worker that died leaves no failed test behind.
 *
 *   node tools/count.mjs <report.json> <exit status of the run>
 */
import { existsSync, readFileSync } from 'node:fs';

const [path = '', status = '1'] = process.argv.slice(2);
const report = existsSync(path)
  ? JSON.parse(readFileSync(path, 'utf8'))
  : { numPassedTests: 0, numFailedTests: 0, success: false };
const isBad = status !== '0' || report.success !== true || report.numPassedTests === 0;
const failed = isBad ? Math.max(1, report.numFailedTests) : report.numFailedTests;
process.stdout.write(`${report.numPassedTests} passed, ${failed} failed\n`);
process.exit(failed === 0 ? 0 : 1);
