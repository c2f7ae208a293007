import { afterEach, beforeEach, expect, test } from 'vitest';
import { check, definitionWith, verifier } from '../../test/support/verifier.ts';

let v: ReturnType<typeof verifier>;
beforeEach(() => {
  v = verifier();
});
afterEach(() => v.remove());

const sum = (body: string) => `export const sum = (a, b) => ${body};\n`;
const test12 = `import { test } from 'node:test';
import assert from 'node:assert';
import { sum } from './sum.mjs';
test('adds', () => assert.equal(sum(1, 2), 3));
test('is there', () => assert.ok(sum));
`;

test('a red base becomes the start of the score, a fixed commit passes with a receipt (XP-26)', async () => {
  const base = v.commit({ 'sum.mjs': sum('a - b'), 'sum.test.mjs': test12 });
  const fixed = v.commit({ 'sum.mjs': sum('a + b') });
  const definition = definitionWith(v.root, base);

  const baseline = await v.checks.baseline(v.request(definition, null));
  expect(baseline).toMatchObject({
    baseline: 'red',
    setup: 'none',
    summary: 'node --test fails (1 failed, 1 passed)',
  });

  const bad = await v.checks.verify(v.request(definition, base));
  expect(bad).toMatchObject({ outcome: 'failed' });
  expect(bad.summary).toBe('node --test exit 1 · 1 failed, 1 passed');

  const good = await v.checks.verify(v.request(definition, fixed));
  expect(good).toMatchObject({ outcome: 'passed', commit: fixed, verifierIdentity: 'runtime' });
  expect(good.summary).toBe('node --test exit 0 · 2 passed');
  const predicate = await v.predicate(good.receipt);
  expect(predicate).toMatchObject({
    tree: 'clean',
    baseline: 'red',
    work: { commit: fixed },
    base: { commit: base },
    criteria: [
      {
        counts: { passed: 2, failed: 0 },
        baseline: { passed: 1, failed: 1 },
        executions: 1,
        exit: 0,
      },
    ],
  });
});
