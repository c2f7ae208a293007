import { expect, test } from 'vitest';
import { ownEnvironment } from './start-driver.ts';

test('a process of ours gets neither the marker of a lane nor the token of an operator (L-N1)', () => {
  const env = {
    PATH: '/bin',
    PAWL_EXECUTION: 'a.1',
    PAWL_OPERATOR_TOKEN: 'secret',
    GONE: undefined,
  };
  expect(ownEnvironment({ env, home: '/state' })).toEqual({ PATH: '/bin', PAWL_HOME: '/state' });
});
