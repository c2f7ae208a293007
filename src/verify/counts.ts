/**
 * Counts from a runner's own report: one row of the table per runner, tried in order; the first
 * whose marks appear speaks. What a report does not say is null, never zero.
 */
import type { TestCounts } from '../domain/verdict/verdict.ts';

type Part = 'passed' | 'failed' | 'skipped' | 'total';

interface RunnerReport {
  readonly runner: string;
  /** Without it the row does not speak; for rows whose patterns common prose fits as well. */
  readonly mark?: RegExp;
  /** Global, one number per match; matches of the same part are added up (several packages). */
  readonly parts: readonly (readonly [Part, RegExp])[];
  /** Lines to count instead of numbers to read. */
  readonly lines?: readonly (readonly [Part, RegExp])[];
  /** Global; group 1 is the name of a test that failed. */
  readonly failing: RegExp;
}

const reports: readonly RunnerReport[] = [
  {
    runner: 'node --test',
    parts: [
      ['passed', /^(?:#|ℹ) pass (\d+)$/gm],
      ['failed', /^(?:#|ℹ) (?:fail|cancelled) (\d+)$/gm],
      ['skipped', /^(?:#|ℹ) (?:skipped|todo) (\d+)$/gm],
    ],
    failing:
      /^(?:[ \t]*not ok \d+ - (?!.*# (?:SKIP|TODO))|✖ (?!failing tests:))(.+?)(?: \([\d.]+ms\))?$/gm,
  },
  {
    runner: 'vitest',
    parts: [
      ['failed', /^[ \t]*Tests {2}.*?(\d+) failed\b.*\(\d+\)$/gm],
      ['passed', /^[ \t]*Tests {2}.*?(\d+) passed\b.*\(\d+\)$/gm],
      ['skipped', /^[ \t]*Tests {2}.*?(\d+) (?:skipped|todo)\b.*\(\d+\)$/gm],
      // Unhandled errors and suites that did not load are failures that no test carries.
      ['failed', /^[ \t]*Errors {2}(\d+) errors?$/gm],
    ],
    failing: /^[ \t]*(?:FAIL|×) {1,2}(.+?)(?: \d+ms)?$/gm,
  },
  {
    runner: 'jest',
    parts: [
      ['failed', /^Tests: .*?(\d+) failed\b.*total$/gm],
      ['passed', /^Tests: .*?(\d+) passed\b.*total$/gm],
      ['skipped', /^Tests: .*?(\d+) (?:skipped|todo)\b.*total$/gm],
      ['total', /^Tests: .*?(\d+) total$/gm],
    ],
    failing: /^[ \t]*● (.+)$/gm,
  },
  {
    runner: 'mocha',
    parts: [
      ['passed', /^[ \t]*(\d+) passing(?: \(.+\))?$/gm],
      ['failed', /^[ \t]*(\d+) failing$/gm],
      ['skipped', /^[ \t]*(\d+) pending$/gm],
    ],
    failing: /^[ \t]{2,}\d+\) (.+?):?$/gm,
  },
  {
    runner: 'cargo test',
    parts: [
      ['passed', /^test result: .*? (\d+) passed;/gm],
      ['failed', /^test result: .*? (\d+) failed;/gm],
      ['skipped', /^test result: .*? (\d+) ignored;/gm],
    ],
    failing: /^test (.+?) \.\.\. FAILED$/gm,
  },
  {
    runner: 'pytest',
    parts: [
      ['passed', /^(?:=+ )?(?:.*, )?(\d+) passed\b.* in [\d.]+s\b/gm],
      ['failed', /^(?:=+ )?(?:.*, )?(\d+) failed\b.* in [\d.]+s\b/gm],
      ['failed', /^(?:=+ )?(?:.*, )?(\d+) errors?\b.* in [\d.]+s\b/gm],
      ['skipped', /^(?:=+ )?(?:.*, )?(\d+) skipped\b.* in [\d.]+s\b/gm],
    ],
    failing: /^(?:FAILED|ERROR) (\S+)/gm,
  },
  {
    runner: 'rspec',
    parts: [
      ['total', /^(\d+) examples?, /gm],
      ['failed', /^\d+ examples?, (\d+) failures?/gm],
      ['failed', /^\d+ examples?, .*?(\d+) errors? occurred/gm],
      ['skipped', /^\d+ examples?, .*?(\d+) pending/gm],
    ],
    failing: /^rspec \S+ # (.+)$/gm,
  },
  {
    runner: 'maven',
    parts: [
      ['total', /^(?:\[\w+\] )?Tests run: (\d+), Failures: \d+, Errors: \d+, Skipped: \d+$/gm],
      ['failed', /^(?:\[\w+\] )?Tests run: \d+, Failures: (\d+), .*Skipped: \d+$/gm],
      ['failed', /^(?:\[\w+\] )?Tests run: \d+, .*Errors: (\d+), Skipped: \d+$/gm],
      ['skipped', /^(?:\[\w+\] )?Tests run: \d+, .*Skipped: (\d+)$/gm],
    ],
    failing: /^\[ERROR\] {3}(\S+)/gm,
  },
  {
    runner: 'dotnet test',
    parts: [
      ['failed', /\bFailed: +(\d+), Passed: +\d+/g],
      ['passed', /\bFailed: +\d+, Passed: +(\d+)/g],
      ['skipped', /\bPassed: +\d+, Skipped: +(\d+)/g],
    ],
    failing: /^[ \t]+Failed (\S+)/gm,
  },
  {
    runner: 'unittest',
    parts: [
      ['total', /^Ran (\d+) tests? in /gm],
      ['failed', /^FAILED \(.*?failures=(\d+)/gm],
      ['failed', /^FAILED \(.*?errors=(\d+)/gm],
      ['skipped', /^(?:OK|FAILED) \(.*?skipped=(\d+)/gm],
    ],
    failing: /^(?:FAIL|ERROR): (.+)$/gm,
  },
  {
    runner: 'go test',
    parts: [],
    lines: [
      ['passed', /^--- PASS: /gm],
      ['failed', /^--- FAIL: /gm],
      ['skipped', /^--- SKIP: /gm],
      // A package that did not build, or that panicked, has no line of its own test.
      ['failed', /^FAIL\t\S+ \[.+ failed\]$/gm],
    ],
    failing: /^[ \t]*(?:--- FAIL: |FAIL\t)(\S+)/gm,
  },
  {
    runner: 'TAP',
    // A lone "ok" is a word that any script prints; a producer prints a version, a plan or numbers.
    mark: /^(?:TAP version \d+|1\.\.\d+\b|Bail out!|(?:not )?ok \d+\b)/im,
    parts: [],
    lines: [
      ['passed', /^ok\b(?!.*# (?:SKIP|TODO)).*$/gim],
      ['failed', /^(?:not ok\b(?!.*# (?:SKIP|TODO)).*|Bail out!.*)$/gim],
      ['skipped', /^(?:not )?ok\b.*# (?:SKIP|TODO).*$/gim],
    ],
    failing: /^not ok \d+ -? ?(?!.*# (?:SKIP|TODO))(.+)$/gm,
  },
  {
    // A line that begins with the count, whoever printed it (L-A22).
    runner: 'plain',
    parts: [
      ['failed', /^[^\w\n]*(\d+) (?:tests? |checks? )?(?:failed|failing|failures?)\b/gm],
      ['failed', /^[^\w\n]*\d+ (?:tests? )?passed\b.*?\b(\d+) failed\b/gm],
      ['passed', /^[^\w\n]*(\d+) (?:tests? |checks? )?(?:passed|passing)\b/gm],
      ['passed', /^[^\w\n]*\d+ (?:tests? )?failed\b.*?\b(\d+) passed\b/gm],
    ],
    failing: /^(?:FAIL|FAILED|✖|✗|×):? (?!\d)(.+)$/gm,
  },
];

export interface Report {
  readonly runner: string;
  readonly counts: TestCounts;
  /** At most ten names, as the runner wrote them. */
  readonly failing: readonly string[];
}

/** Null when no runner's report is recognised. Never throws. */
export function readReport(output: string): Report | null {
  // Long lines are cut, so that no line an agent can print makes a pattern slow.
  const text = plain(output).replace(/(?<=^.{2000}).+$/gm, '');
  for (const report of reports) {
    const counts = countsOf(report, text);
    if (counts === null) continue;
    return { runner: report.runner, counts, failing: names(report.failing, text) };
  }
  return null;
}

/** Tests that really ran; null when the report does not say. */
export function testsRun(counts: TestCounts | null): number | null {
  if (counts === null || (counts.passed === null && counts.failed === null)) return null;
  return (counts.passed ?? 0) + (counts.failed ?? 0);
}

function countsOf(report: RunnerReport, text: string): TestCounts | null {
  if (report.mark?.test(text) === false) return null;
  const found = new Map<Part, number>();
  const add = (part: Part, n: number) => found.set(part, (found.get(part) ?? 0) + n);
  for (const [part, pattern] of report.parts) {
    for (const match of text.matchAll(pattern)) add(part, Number(match[1]));
  }
  for (const [part, pattern] of report.lines ?? []) {
    for (const _ of text.matchAll(pattern)) add(part, 1);
  }
  return together(found);
}

function together(found: ReadonlyMap<Part, number>): TestCounts | null {
  const read = (part: Part) => found.get(part) ?? null;
  const [passed, failed, skipped] = [read('passed'), read('failed'), read('skipped')];
  const total = read('total');
  if (passed === null && failed === null && total === null) return null;
  if (total === null) return { passed, failed, skipped };
  // The summary names a total: what it leaves unsaid is zero.
  const bad = failed ?? 0;
  return { passed: passed ?? Math.max(0, total - bad - (skipped ?? 0)), failed: bad, skipped };
}

const namesMax = 10;

function names(pattern: RegExp, text: string): readonly string[] {
  const found = new Set<string>();
  for (const match of text.matchAll(pattern)) {
    const name = match[1]?.trim().slice(0, 300);
    if (name !== undefined && name !== '') found.add(name);
    if (found.size >= namesMax) break;
  }
  return [...found];
}

const escapes = /\u001b\[[0-9;?]*[A-Za-z]/g;

/** Without colours and carriage returns. */
export function plain(text: string): string {
  return text.replace(escapes, '').replaceAll('\r\n', '\n').replaceAll('\r', '\n');
}
