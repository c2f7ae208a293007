import { expect, test } from 'vitest';
import { refuseFull } from './no-space.ts';

const mb = 1024 * 1024;
const failing = (text: string, free: number | null) => () =>
  refuseFull({ command: 'npm test', text }, ['/tree'], () => free);

test('a check that failed on a full disk is no failed check', () => {
  expect(failing('1 failed', 0)).toThrow('no space left for /tree while "npm test" ran');
  expect(failing('ENOSPC: no space left on device, write', 8 * mb)).toThrow('no space left');
});

test('words about space are not believed while there is space; silence is not either', () => {
  expect(failing('expected ENOSPC, got EACCES', 900 * mb)).not.toThrow();
  expect(failing('1 failed', 8 * mb)).not.toThrow();
  expect(failing('ENOSPC', null)).not.toThrow();
});
