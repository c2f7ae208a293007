import { expect, test } from 'vitest';
import { isDiskFull } from './disk-full.ts';
import { WorldError } from './errors.ts';

const coded = (code: string) => Object.assign(new Error('write'), { code });

test('a full disk is known by its code, by our own word, and as a cause (L-G2)', () => {
  expect(isDiskFull(coded('ENOSPC'))).toBe(true);
  expect(isDiskFull(coded('EDQUOT'))).toBe(true);
  expect(isDiskFull(new WorldError('disk_full', 'the store'))).toBe(true);
  const above = new WorldError('workspace_failed', 'the tree', {}, coded('ENOSPC'));
  expect(isDiskFull(above)).toBe(true);
});

test('other failures, and words about space, are no full disk', () => {
  expect(isDiskFull(coded('EACCES'))).toBe(false);
  expect(isDiskFull(new Error('ENOSPC: no space left on device'))).toBe(false);
  expect(isDiskFull('ENOSPC')).toBe(false);
});
