/**
 * Prints `N passed, N failed` from vitest's JSON reports, and exits 1 unless everything passed.
 * A run that ended badly counts as one failure even when no test says so: a failed type check or a
 * worker that died leaves no failed test behind. So does a report that is not there, or not whole.
 *
 *   node tools/count.mjs <exit status of the run> <report.json>...
 */
import { existsSync, readFileSync } from 'node:fs';

const [status = '1', ...paths] = process.argv.slice(2);
const none = { numPassedTests: 0, numFailedTests: 0, success: false };
const reports = paths.map(reportIn);
const sum = (of) => reports.reduce((total, report) => total + of(report), 0);
const passed = sum((report) => report.numPassedTests);
const isGood = ({ success, numPassedTests }) => success === true && numPassedTests > 0;
const isBad = status !== '0' || reports.length === 0 || !reports.every(isGood);
const failed = Math.max(
  isBad ? 1 : 0,
  sum((report) => report.numFailedTests),
);
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exit(failed === 0 ? 0 : 1);

/** A lane that was ended while it wrote leaves half a report. */
function reportIn(path) {
  if (!existsSync(path)) return none;
  try {
    const report = JSON.parse(readFileSync(path, 'utf8'));
    return Number.isInteger(report?.numPassedTests + report?.numFailedTests) ? report : none;
  } catch (error) {
    if (error instanceof SyntaxError) return none;
    throw error;
  }
}
