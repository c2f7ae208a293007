import { afterEach, expect, test, vi } from 'vitest';
import { check, definitionWith, verifier } from '../../test/support/verifier.ts';
import type { EmptySubmodule } from '../ports/workspace.ts';
import { runtimeChecks } from './checks.ts';

vi.setConfig({ testTimeout: 60_000 });

const v = verifier();
afterEach(() => v.remove());

const note = 'submodule lib: 1111111 is not there';

/** The same checks in trees where a submodule stayed empty. */
function checksWith(emptySubmodules: readonly EmptySubmodule[]) {
  const { trees } = v.options;
  const lease: typeof trees.lease = async (request) => ({
    ...(await trees.lease(request)),
    emptySubmodules,
  });
  return runtimeChecks({ ...v.options, trees: { ...trees, lease } });
}

test('a check that fails without its submodule spends no attempt; the receipt names it (L-G2)', async () => {
  const base = v.commit({ a: '1' });
  const work = v.commit({ a: '2' });
  const definition = definitionWith(v.root, base, { criteria: [check('test -e lib/x')] });
  const torn = checksWith([{ note, asInCheckout: false }]);
  const verdict = await torn.verify(v.request(definition, work));
  expect(verdict.outcome).toBe('verifier_unavailable');
  expect(verdict.summary).toContain(`could not be set up: ${note}`);
  expect((await v.predicate(verdict.receipt)).emptySubmodules).toEqual([note]);
  expect(await torn.baseline(v.request(definition, base))).toMatchObject({
    baseline: 'unrunnable',
    setup: 'failed',
    summary: `could not be set up: ${note} (the checks fail)`,
  });

  // Empty in the user's checkout as well: the check is judged as it is there, and that is said.
  const asThere = checksWith([{ note, asInCheckout: true }]);
  const failed = await asThere.verify(v.request(definition, work));
  expect(failed.outcome).toBe('failed');
  expect((await v.predicate(failed.receipt)).emptySubmodules).toEqual([note]);

  // A check that passes all the same did not need it.
  const passing = definitionWith(v.root, base, { criteria: [check('grep -q 2 a')] });
  expect((await torn.verify(v.request(passing, work))).outcome).toBe('passed');
});
