import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { check, definitionWith, verifier } from '../../test/support/verifier.ts';

vi.setConfig({ testTimeout: 60_000 });

let v: ReturnType<typeof verifier>;
beforeEach(() => {
  v = verifier();
});
afterEach(() => v.remove());

/** Goal: a script that somebody stopped is never shown as one that succeeded (L-O4). */
test.each(['TERM', 'INT', 'KILL', 'HUP'])(
  'a check that SIG%s ended has not passed (L-O4)',
  async (signal) => {
    const base = v.commit({ a: '1' });
    const work = v.commit({ a: '2' });
    const criteria = [check(`echo "12 passed"; kill -${signal} $$; exit 0`)];
    const verdict = await v.checks.verify(
      v.request(definitionWith(v.root, base, { criteria }), work),
    );
    expect(verdict.outcome).not.toBe('passed');
    expect(verdict.criteria[0]).toMatchObject({ exit: null });
    expect(verdict.summary).toContain(`SIG${signal}`);
  },
);

test('a setup that was stopped is a failed setup, and no check runs after it (L-O4)', async () => {
  const base = v.commit({ a: '1' });
  const definition = definitionWith(v.root, base, {
    criteria: [check('exit 1')],
    workspace: {
      setup: { command: 'kill -TERM $$', timeoutMs: 10_000 },
      copy: [],
      submodules: 'auto',
    },
  });
  const baseline = await v.checks.baseline(v.request(definition, null));
  expect(baseline).toMatchObject({ baseline: 'unrunnable', setup: 'failed' });
});
