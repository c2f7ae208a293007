import { expect, test } from 'vitest';
import { boundedCapture } from './capture.ts';

test('the last line is the last that is not blank, without colours and bells', () => {
  const capture = boundedCapture();
  capture.push(Buffer.from('first\n\x1b[31mlast \x07line\x1b[0m\r\n\n  \n'));
  expect(capture.lastLine(200)).toBe('last line');
  expect(capture.lastLine(4)).toBe('last');
});

test('there is no last line where nothing was printed', () => {
  const capture = boundedCapture();
  expect(capture.lastLine(200)).toBeNull();
  capture.push(Buffer.from('\n\x1b[2J\n'));
  expect(capture.lastLine(200)).toBeNull();
});

test('600 MB in chunks take no more memory than the bounds (L-I1)', () => {
  const capture = boundedCapture({ headBytesMax: 10, tailBytesMax: 10 });
  const chunk = Buffer.alloc(1024 * 1024, 'x');
  for (let count = 0; count < 600; count += 1) capture.push(chunk);
  capture.push(Buffer.from('the end'));
  expect(capture.bytes).toBe(600 * 1024 * 1024 + 7);
  expect(capture.text()).toMatch(/^x{10}\n… \d+ bytes left out …\nxxxthe end$/);
});
