import fc from 'fast-check';
import { test } from 'vitest';
import { readVerdict } from './verdict.ts';

const runs = { numRuns: 2_000 };

test('V1. No text makes the reader throw', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json(), fc.string({ unit: 'binary' })), (text) => {
      readVerdict(text);
    }),
    runs,
  );
});

test('V2. Only true or the word true passes', () => {
  const words = fc.constantFrom('true', 'TRUE', ' True ', 'false', 'yes', '1', 'truee');
  const values = fc.oneof(fc.jsonValue(), words, fc.boolean());
  fc.assert(
    fc.property(values, fc.constantFrom('pass', 'passed'), (value, key) => {
      const word = typeof value === 'string' ? value.trim().toLowerCase() : value;
      const { outcome } = readVerdict(JSON.stringify({ [key]: value }));
      return (outcome === 'passed') === (word === 'true' || word === true);
    }),
    runs,
  );
});

test('V3. A score is within 0 and 1, or null and flagged', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (score) => {
      const reading = readVerdict(JSON.stringify({ pass: true, score }));
      if (reading.outcome === 'unparseable') return false;
      if (reading.score === null) return reading.scoreFlagged;
      return reading.score >= 0 && reading.score <= 1 && !reading.scoreFlagged;
    }),
    runs,
  );
});
