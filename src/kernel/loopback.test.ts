import { expect, test } from 'vitest';
import { isLoopback } from './loopback.ts';

test.each(['localhost', '127.0.0.1', '127.1.2.3', '::1'])('%s is this machine alone', (host) => {
  expect(isLoopback(host)).toBe(true);
});

test.each(['', '0.0.0.0', '::', '10.0.0.1', '127.evil.example', '127.0.0.1.evil.example', 'a'])(
  '"%s" may be another machine, or all of its addresses',
  (host) => {
    expect(isLoopback(host)).toBe(false);
  },
);
