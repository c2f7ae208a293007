import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fromBase64 } from './base64.ts';

test('what was encoded comes back, with padding and without', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      const text = Buffer.from(bytes).toString('base64');
      expect([...fromBase64(text)]).toEqual([...bytes]);
      expect([...fromBase64(text.replace(/=+$/, ''))]).toEqual([...bytes]);
    }),
  );
});
