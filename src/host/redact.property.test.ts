import fc from 'fast-check';
import { expect, test } from 'vitest';
import { redactor, redactText } from './redact.ts';

const secret = fc.stringMatching(/^[A-Za-z0-9+/=_ "\\\n:-]{8,40}$/).filter((s) => s.trim() === s);

/** The text in chunks whose borders lie anywhere, inside characters too. */
function throughChunks(text: string, cuts: readonly number[], value: string): string {
  const bytes = Buffer.from(text, 'utf8');
  const borders = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  const stream = redactor({ TOKEN: value });
  const out = [...borders, bytes.length].map((to, index) =>
    stream.push(bytes.subarray(index === 0 ? 0 : borders[index - 1], to)),
  );
  return Buffer.concat([...out, stream.flush()]).toString('utf8');
}

test('a secret is not printed wherever a chunk cuts it, and the rest is unchanged (L-N1, L-N5)', () => {
  const plain = fc.stringMatching(/^[äöü日 .,x]{0,30}$/);
  fc.assert(
    fc.property(
      secret,
      plain,
      plain,
      fc.array(fc.nat(), { maxLength: 12 }),
      (value, a, b, cuts) => {
        const out = throughChunks(`${a}${value}${b}${value}`, cuts, value);
        expect(out).not.toContain(value);
        expect(out).toBe(`${a}‹redacted TOKEN›${b}‹redacted TOKEN›`);
      },
    ),
  );
});

test('text without the secret passes byte for byte', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.array(fc.nat()), (text, cuts) => {
      const clean = Buffer.from(text, 'utf8').toString('utf8');
      fc.pre(!clean.includes('sekret-value'));
      expect(throughChunks(clean, cuts, 'sekret-value')).toBe(clean);
    }),
  );
});

test('common encodings of a secret are known too, at each offset of base64', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[A-Za-z0-9:/+ ]{12,40}$/), fc.nat(2), (value, offset) => {
      const padded = Buffer.from(`${'xy'.slice(0, offset)}${value}zz`);
      for (const text of [
        padded.toString('base64'),
        padded.toString('base64url'),
        encodeURIComponent(value),
        Buffer.from(value).toString('hex'),
        JSON.stringify({ value }),
      ]) {
        expect(redactText(text, { TOKEN: value })).toContain('‹redacted TOKEN›');
      }
    }),
  );
});

test('a text that was clipped inside a secret shows no part of it that could be used (L-N1)', () => {
  const key = fc.stringMatching(/^[A-Z0-9]{20,40}$/);
  const ends = fc.constantFrom('', '…');
  fc.assert(
    fc.property(key, fc.integer({ min: 8, max: 19 }), ends, (value, length, end) => {
      const told = { TOKEN: value };
      expect(redactText(`invalid key ${value.slice(0, length)}${end}`, told)).toBe(
        `invalid key ‹redacted TOKEN›${end}`,
      );
      expect(redactText(`${end}${value.slice(-length)} is no key`, told)).toBe(
        `${end}‹redacted TOKEN› is no key`,
      );
    }),
  );
});
