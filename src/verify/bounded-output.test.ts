import { expect, test } from 'vitest';
import { boundedOutput } from './bounded-output.ts';

const bytes = (text: string) => Buffer.from(text, 'utf8');

test('a character cut by a chunk, or by the other stream, comes out whole', () => {
  const output = boundedOutput();
  const [first, rest] = [bytes('ä€𝄞').subarray(0, 3), bytes('ä€𝄞').subarray(3)];
  output.stdout(first);
  output.stderr(bytes('!'));
  output.stdout(rest);
  expect(output.text()).toBe('ä!€𝄞');
});

test('head and tail are kept, the middle is counted, no pair is parted', () => {
  const output = boundedOutput([], { headMax: 5, tailMax: 5 });
  for (let n = 0; n < 50; n += 1) output.stdout(bytes('𝄞'));
  output.stdout(bytes('end'));
  const text = output.text();
  expect(text).toMatch(/^𝄞+\n… \d+ characters left out …\n𝄞end$/u);
  expect(text).not.toContain('\ufffd');
});

test('nothing is left out while it fits', () => {
  const output = boundedOutput([], { headMax: 4, tailMax: 4 });
  output.stdout(bytes('1234'));
  output.stderr(bytes('5678'));
  expect(output.text()).toBe('12345678');
});

test('a secret is not shown, not across chunks and not half at a cut', () => {
  const whole = boundedOutput(['geheim-0815']);
  whole.stdout(bytes('key=gehe'));
  whole.stdout(bytes('im-0815\n'));
  expect(whole.text()).toBe('key=[redacted]\n');
  const cut = boundedOutput(['geheim-0815'], { headMax: 10, tailMax: 10 });
  cut.stdout(bytes('key=geheim-0815 and much more of it, then geheim-0815'));
  expect(cut.text()).not.toMatch(/gehe|0815/);
});
