/** Goal: the key of a dispatch is that of one execution, and none is used again (XP-24, XP-38). */
import { expect, test } from 'vitest';
import {
  executed,
  failed,
  history,
  prepared,
  resume,
  runAfter,
  sealed,
  start,
} from '../../test/support/run-fixtures.ts';
import type { RunCommand } from '../domain/run/message.ts';
import { dispatchIdOf } from './dispatch-identity.ts';

const keysOf = (...commands: readonly RunCommand[]) =>
  history(...commands).flatMap((event) =>
    event.type === 'job.dispatched'
      ? [dispatchIdOf({ id: event.execution, dispatchedAt: event.at })]
      : [],
  );

test('what died is done by a new execution with a key of its own, at the same instant too', () => {
  const died = [start(), sealed(1, prepared()), sealed(2, failed('lane_died'))];
  const keys = keysOf(...died, sealed(3, executed()));
  expect(keys).toHaveLength(4);
  expect(new Set(keys).size).toBe(4);
});

test('an outcome that nobody can prove is not tried again: only a human goes on (XP-24, L-D2)', () => {
  const unknown = [start(), sealed(1, prepared()), sealed(2, failed('unknown_outcome'))];
  expect(keysOf(...unknown)).toHaveLength(2);
  expect(runAfter(...unknown)).toMatchObject({
    status: 'needs_operator',
    reason: 'unknown_outcome',
  });
  expect(() => history(...unknown, resume())).toThrow(/grant.needed/);
  const keys = keysOf(...unknown, resume({ happened: false }));
  expect(new Set(keys).size).toBe(3);
});
