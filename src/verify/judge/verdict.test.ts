import { expect, test } from 'vitest';
import { readVerdict, shownScore } from './verdict.ts';

test.each([
  ['"false"', 'failed'],
  ['"False"', 'failed'],
  ['" TRUE "', 'passed'],
  ['true', 'passed'],
  ['false', 'failed'],
  ['"no"', 'unparseable'],
  ['"yes"', 'unparseable'],
  ['"pass"', 'unparseable'],
  ['""', 'unparseable'],
  ['0', 'unparseable'],
  ['1', 'unparseable'],
  ['null', 'unparseable'],
  ['[]', 'unparseable'],
  ['{}', 'unparseable'],
])('"pass": %s is %s: a truth value is not a verdict (EV-54, SL-60, L-A17)', (pass, outcome) => {
  for (const key of ['pass', 'passed']) {
    const text = `{"${key}": ${pass}, "score": 1, "reasons": ["because"]}`;
    expect(readVerdict(text).outcome).toBe(outcome);
  }
});

test.each([
  ['nothing', '  \n'],
  ['prose (L-A18)', 'I would PASS this if the tests ran.'],
  ['prose with JSON in it', 'Here is my verdict: {"pass": true}'],
  ['JSON with prose after it', '{"pass": true}\nHope this helps!'],
  ['a banner (L-A20)', 'Error: Not logged in · Please run /login'],
  ['a list', '[{"pass": true}]'],
  ['a bare word', 'true'],
  ['an empty object: a missing pass is no failure', '{}'],
  ['a contradiction', '{"pass": true, "passed": false}'],
  ['single quotes', "{'pass': true}"],
  ['two objects', '{"pass": true}{"pass": false}'],
  ['an unclosed fence', '```json\n{"pass": true}'],
  ['too much', `{"pass": true, "reasons": ["${'x'.repeat(70_000)}"]}`],
])('%s is unparseable, never a pass (EV-50, EV-53)', (_, text) => {
  expect(readVerdict(text).outcome).toBe('unparseable');
});

test.each([
  ['a fence', '```json\n{"pass": true, "score": 0.9}\n```'],
  ['a bare fence', '```\n{"pass": true, "score": 0.9}\n```'],
  ['comments', '{ // yes\n "pass": true, /* sure */ "score": 0.9 }'],
  ['what looks like a comment', '{"pass": true, "score": 0.9, "u": "http://x/*y*/"}'],
])('%s is allowed around or in it (SL-58)', (_, text) => {
  expect(readVerdict(text)).toMatchObject({ outcome: 'passed', score: 0.9, scoreFlagged: false });
});

test.each([
  ['missing', '', null],
  ['a word', ', "score": "0.9"', null],
  ['null', ', "score": null', null],
  ['infinite', ', "score": 1e999', null],
  ['above', ', "score": 7', 1],
  ['below', ', "score": -0.1', 0],
])('a score that is %s is clamped or flagged (SL-61)', (_, part, score) => {
  const reading = readVerdict(`{"pass": true${part}}`);
  expect(reading).toMatchObject({ outcome: 'passed', score, scoreFlagged: score === null });
  expect(shownScore(score)).toBe(score ?? 0.5);
});

test('both spellings of reasons and hint are read and bounded (EV-22, SL-42)', () => {
  const many = Array.from({ length: 30 }, () => 'r'.repeat(900));
  const long = readVerdict(JSON.stringify({ pass: false, reasons: many, next_hint: 'try b' }));
  expect(long).toMatchObject({ suggestedFix: 'try b' });
  expect('reasons' in long && long.reasons).toHaveLength(10);
  expect('reasons' in long && long.reasons[0]).toHaveLength(500);
  expect(readVerdict('{"passed": false, "reason": "why", "suggestedFix": "how"}')).toMatchObject({
    reasons: ['why'],
    suggestedFix: 'how',
  });
});
