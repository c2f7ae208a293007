/** Goal: what was found is told beside the message, and not a second time where it stands in it. */
import { expect, test } from 'vitest';
import { WorldError } from '../kernel/errors.ts';
import { told } from './lane-work.ts';

test.each([
  ['git failed', 'fatal: bad object', 'git failed (fatal: bad object)'],
  ['the tree is not usable: it is gone', 'it is gone', 'the tree is not usable: it is gone'],
])('%s, found: %s', (message, found, line) => {
  expect(told(new WorldError('git_failed', message, { found }))).toBe(line);
});
