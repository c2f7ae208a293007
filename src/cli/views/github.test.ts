/** Goal: what a lane or a check wrote is text to GitHub, never a command and never markup. */
import { expect, test } from 'vitest';
import { done, parked, verdict } from '../../../test/support/example-pages.ts';
import { annotationLines, summaryMarkdown, untrusted } from './github.ts';

const failing = {
  ...verdict,
  outcome: 'failed' as const,
  criteria: verdict.criteria.map((result) => ({
    ...result,
    outcome: 'failed' as const,
    exit: 1,
    reasons: ['exit 1', 'src/weeks.ts:88: 100% wrong\n::set-output name=x::y'],
  })),
};

test('a verified run has verdict, receipt, branch and next in the summary (UX 3.4)', () => {
  const text = summaryMarkdown({ view: done, verdicts: [verdict], page: ['✓ a'], called: 'pawl' });
  expect(text).toMatch(/^### ✓ fix-date-parsing 7k2m\n/);
  for (const part of ['**verdict** verified on attempt 2', '`pawl show 7k2m --receipt`'])
    expect(text).toContain(part);
  expect(text).toMatch(/- \*\*branch\*\* `pawl\/fix-date-parsing-7k2m`\n- \*\*next\*\* `pawl /);
});

test('a page cannot leave its fence', () => {
  const page = ['````', '<script>', '```'];
  const text = summaryMarkdown({ view: parked, verdicts: [], page, called: 'pawl' });
  expect(text).toContain('`````text\n````\n<script>\n```\n`````\n');
});

test('failed checks are annotations where they point, escaped in one line each (UX 3.4)', () => {
  const lines = annotationLines({ view: parked, verdicts: [failing] });
  expect(lines).toHaveLength(2);
  expect(lines[0]).toMatch(/^::error file=src\/weeks\.ts,line=88,title=fix-date-parsing 7k2m::/);
  expect(lines[0]).toContain('100%25 wrong');
  expect(lines.join('')).not.toContain('\n');
});

test('a verified run is a notice, an overridden one a warning', () => {
  expect(annotationLines({ view: done, verdicts: [] })[0]).toMatch(/^::notice /);
  const view = { ...done, verification: 'overridden' as const };
  expect(annotationLines({ view, verdicts: [] })[0]).toMatch(/^::warning /);
});

test('what is printed between cannot end the guard without its token', () => {
  expect(untrusted('t0ken')).toEqual({ begin: '::stop-commands::t0ken', end: '::t0ken::' });
});
