/** The lines people read about checks (UX §1.1, 1.4, 3.3). Bounded; facts only. */
import type { CriterionResult, TestCounts } from '../domain/verdict/verdict.ts';

export const summaryMax = 200;

/** `node --test exit 1 · 1 failed, 11 passed`. */
export function resultLine(result: CriterionResult): string {
  const exit = result.exit === null ? '' : ` exit ${result.exit}`;
  const head = `${bounded(result.what, 80)}${exit}`;
  const counts = countsLine(result.counts);
  if (result.flaky) return `${head} · flaky: failed, then passed on the same commit`;
  // A good exit code does not say why it failed all the same.
  const isOdd = result.outcome !== 'passed' && (result.exit === null || result.exit === 0);
  const said = isOdd ? result.reasons[0] : undefined;
  if (counts !== null) return `${head} · ${counts}${said === undefined ? '' : ` · ${said}`}`;
  if (result.outcome === 'passed') return head;
  return said === undefined ? `${head} · ${words(result.outcome)}` : `${head} · ${said}`;
}

/** `1 failed, 11 passed`; what the report does not say is left out; null when it says nothing. */
export function countsLine(counts: TestCounts | null): string | null {
  if (counts === null) return null;
  const parts: string[] = [];
  if (counts.failed !== null && counts.failed > 0) parts.push(`${counts.failed} failed`);
  if (counts.passed !== null) parts.push(`${counts.passed} passed`);
  if (counts.skipped !== null && counts.skipped > 0) parts.push(`${counts.skipped} skipped`);
  return parts.length === 0 ? null : parts.join(', ');
}

/** `npm test · exit 0 · 120 passed, 0 failed (baseline 118, 2 failed) · 13.8s`. */
export function receiptLine(result: CriterionResult, baseline: TestCounts | null): string {
  const parts = [result.what];
  if (result.exit !== null) parts.push(`exit ${result.exit}`);
  if (result.counts !== null) parts.push(fullCounts(result.counts) + baselineCounts(baseline));
  if (result.flaky) parts.push(`flaky, ${result.executions} executions`);
  parts.push(seconds(result.durationMs));
  return parts.join(' · ');
}

/** One sentence about a verification: all passed, or the first that did not. */
export function verdictSummary(results: readonly CriterionResult[]): string {
  const bad = results.find((one) => one.outcome !== 'passed');
  if (bad !== undefined) return bounded(resultLine(bad), summaryMax);
  if (results.length === 0) return 'nothing was checked';
  return bounded(results.map(resultLine).join(' · '), summaryMax);
}

/** `npm test fails (2 failed, 118 passed)`: what a baseline says in the header of a run. */
export function baselineSummary(results: readonly CriterionResult[]): string {
  const bad = results.filter((one) => one.outcome !== 'passed');
  if (bad.length === 0) {
    const names = results.map((one) => bounded(one.what, 60)).join(', ');
    return bounded(`passes already: ${names}`, summaryMax);
  }
  const lines = bad.map((one) => {
    const counts = countsLine(one.counts);
    return `${bounded(one.what, 60)} fails${counts === null ? '' : ` (${counts})`}`;
  });
  return bounded(lines.join(' · '), summaryMax);
}

export function seconds(durationMs: number): string {
  return durationMs < 100_000
    ? `${(durationMs / 1000).toFixed(1)}s`
    : `${Math.floor(durationMs / 60_000)}m${String(Math.floor((durationMs % 60_000) / 1000)).padStart(2, '0')}s`;
}

/** One line, at most `max` characters, an ellipsis where something was cut. */
export function bounded(text: string, max: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= max ? line : `${line.slice(0, max - 1)}…`;
}

/**
 * The last lines that say something, for a message: at most `lines` of at most `max` characters.
 */
export function lastLines(text: string, lines: number, max = 500): readonly string[] {
  const said = text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [bounded(line, max)]));
  return said.slice(-lines);
}

function fullCounts(counts: TestCounts): string {
  return `${counts.passed ?? '?'} passed, ${counts.failed ?? '?'} failed`;
}

function baselineCounts(counts: TestCounts | null): string {
  if (counts === null) return '';
  return ` (baseline ${counts.passed ?? '?'}, ${counts.failed ?? '?'} failed)`;
}

function words(outcome: CriterionResult['outcome']): string {
  return outcome.replaceAll('_', ' ');
}

/** Why a failure is not believed, before what failed. */
export function withMissing(missing: string | null, summary: string): string {
  if (missing === null) return summary;
  return bounded(`could not be set up: ${missing} (${summary})`, summaryMax);
}
