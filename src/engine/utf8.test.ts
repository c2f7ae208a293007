import { expect, test } from 'vitest';
import { utf8 } from './utf8.ts';

const encoder = new TextEncoder();

test('text of every plane comes back as it was', () => {
  const text = `plain, äöü, ﬀ, 漢字, 🦫, ${'\u{10ffff}'}, ${'x'.repeat(10_000)}é`;
  expect(utf8(encoder.encode(text))).toBe(text);
});

test('malformed bytes become replacement characters and spoil nothing after them', () => {
  expect(utf8(Uint8Array.from([0xc0, 0x80, 0x41]))).toBe('\ufffd\ufffdA');
  expect(utf8(Uint8Array.from([0xe2, 0x82]))).toBe('\ufffd\ufffd');
  expect(utf8(Uint8Array.from([0xed, 0xa0, 0x80, 0x42]))).toBe('\ufffd\ufffd\ufffdB');
  expect(utf8(Uint8Array.from([0xf5, 0x43]))).toBe('\ufffdC');
});

test('nothing is nothing', () => {
  expect(utf8(new Uint8Array())).toBe('');
});
