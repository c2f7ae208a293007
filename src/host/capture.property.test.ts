import fc from 'fast-check';
import { expect, test } from 'vitest';
import { boundedCapture } from './capture.ts';

const chunks = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 30 });

test('what fits is kept whole; what does not is head and tail with the count between (L-I1, L-I4)', () => {
  fc.assert(
    fc.property(
      chunks,
      fc.integer({ min: 1, max: 50 }),
      fc.integer({ min: 1, max: 50 }),
      (all, h, t) => {
        const capture = boundedCapture({ headBytesMax: h, tailBytesMax: t });
        for (const chunk of all) capture.push(chunk.map((byte) => 97 + (byte % 26)));
        const text = all.flatMap((chunk) => [...chunk].map((byte) => 97 + (byte % 26)));
        const whole = String.fromCharCode(...text);
        expect(capture.bytes).toBe(whole.length);
        const left = whole.length - h - t;
        const expected =
          left <= 0
            ? whole
            : `${whole.slice(0, h)}\n… ${left} bytes left out …\n${whole.slice(whole.length - t)}`;
        expect(capture.text()).toBe(expected);
      },
    ),
  );
});

test('no bound and no border of chunks makes rubbish of a character', () => {
  fc.assert(
    fc.property(
      fc.stringMatching(/^[aä日😀]{0,60}$/u),
      fc.integer({ min: 4, max: 30 }),
      fc.integer({ min: 4, max: 30 }),
      fc.integer({ min: 1, max: 7 }),
      (text, h, t, step) => {
        const bytes = Buffer.from(text, 'utf8');
        const capture = boundedCapture({ headBytesMax: h, tailBytesMax: t });
        for (let at = 0; at < bytes.length; at += step) capture.push(bytes.subarray(at, at + step));
        expect(capture.text()).not.toContain('\ufffd');
      },
    ),
  );
});
