/** Goal: a dry run goes the whole way and comes to nothing that looks verified (XP-41). */
import { expect, test } from 'vitest';
import {
  checks,
  command,
  failed,
  led,
  prepared,
  runAfter,
  sealed,
  start,
  terms,
  verified,
  verifying,
} from '../../../test/support/run-fixtures.ts';
import { decide } from './decide.ts';
import { onlyScripted } from './dry-run.ts';
import { termsProblem } from './terms.ts';

const dry = { dryRun: true, steps: [checks], allowNoChange: true, git: false } as const;

test('after its verification it ends, whatever the verifier says (R10, XP-41)', () => {
  for (const outcome of ['missing_evidence', 'passed', 'failed', 'indeterminate'] as const) {
    const ended = runAfter(...verifying(dry), sealed(3, verified({ outcome })));
    expect(ended).toMatchObject({ status: 'cancelled', cause: 'dry_run', lastReceipt: null });
  }
});

test('a pass over a dry run is recorded as missing evidence, without its receipt (R10)', () => {
  const events = led(...verifying(dry), sealed(3, verified({ outcome: 'passed' })));
  expect(events[0]).toMatchObject({
    type: 'verification.recorded',
    facts: { outcome: 'missing_evidence', receipt: null },
  });
  expect(events.map(({ type }) => type)).not.toContain('attempt.ended');
});

test('checks that were green before add no look of a human to it', () => {
  const green = [start(dry), sealed(1, prepared({ baseline: 'green' }))];
  expect(led(...green).map(({ type }) => type)).not.toContain('criterion.appended');
});

test('a parked one cannot be accepted: nothing was done that anybody could take (R10)', () => {
  const parked = runAfter(start(dry), sealed(1, failed('setup_failed')));
  expect(parked.status).toBe('needs_operator');
  const accepted = decide(parked, command({ type: 'accept', reason: 'looks good' }));
  expect(accepted).toMatchObject({ ok: false, error: { code: 'run.wrong_state' } });
  expect(JSON.stringify(accepted)).not.toContain('accept --reason');
});

test('no terms of a dry run ask a human or a judge', () => {
  const manual = { kind: 'manual', criterion: 1, look: 'look' } as const;
  expect(termsProblem({ ...terms, ...dry })).toBeNull();
  expect(termsProblem({ ...terms, ...dry, steps: [checks, manual] })).toBe(onlyScripted);
  expect(
    termsProblem({ ...terms, ...dry, steps: [{ kind: 'judge', criterion: 0 }] }),
  ).not.toBeNull();
});
