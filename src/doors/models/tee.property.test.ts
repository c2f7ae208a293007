import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ModelApi } from '../../ports/models-door.ts';
import { askedIn } from './asked.ts';
import { tee } from './tee.ts';

const apis: readonly ModelApi[] = ['anthropic', 'chat', 'responses', 'gemini'];
const api = fc.constantFrom(...apis);
const forms = fc.constantFrom('stream', 'body', 'opaque');

/** JSON that looks like an API's in places, so that readers get past their first question. */
const keys = fc.constantFrom(
  ...'type message usage choices delta response output item content parts candidates'.split(' '),
  ...'usageMetadata input_tokens output_tokens prompt_tokens finish_reason tools model'.split(' '),
  ...'content_block error details status stream function namespace'.split(' '),
);
const values = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: 'medium' },
    fc.constantFrom(null, true, 'message_start', 'message_stop', 'response.completed', '[DONE]'),
    fc.double(),
    fc.string({ maxLength: 8 }),
    fc.array(tie('any'), { maxLength: 4 }),
    fc.dictionary(keys, tie('any'), { maxKeys: 5 }),
  ),
})).any;
const events = fc.array(values, { maxLength: 8 });
const borders = fc.array(fc.nat(), { maxLength: 20 });

function pieces(bytes: Uint8Array, at: readonly number[]): readonly Uint8Array[] {
  const places = at.map((one) => one % (bytes.length + 1)).sort((a, b) => a - b);
  const all = [0, ...places, bytes.length];
  return all.slice(1).map((to, index) => bytes.slice(all[index], to));
}

test('an answer is read the same whatever its chunk borders', () => {
  fc.assert(
    fc.property(api, events, borders, (of, said, at) => {
      const source = said.map((one) => `data: ${JSON.stringify(one)}\n\n`).join('');
      const read = (chunks: readonly Uint8Array[]) => {
        const one = tee({ api: of, form: 'stream', requestBytes: 100 });
        for (const chunk of chunks) one.push(chunk);
        return one.end();
      };
      const bytes = Buffer.from(source);
      expect(read(pieces(bytes, at))).toEqual(read([bytes]));
    }),
    { numRuns: 500 },
  );
});

test('no answer, however malformed, is a fault, and its counts are counts', () => {
  fc.assert(
    fc.property(
      api,
      forms,
      fc.oneof(fc.uint8Array(), jsonBytes()),
      borders,
      (of, form, bytes, at) => {
        const one = tee({ api: of, form, requestBytes: 100 });
        for (const chunk of pieces(bytes, at)) one.push(chunk);
        const { tokens } = one.end();
        for (const count of Object.values(tokens)) {
          expect(Number.isFinite(count) && count >= 0).toBe(true);
        }
        expect(tokens.cacheWriteHour).toBeLessThanOrEqual(tokens.cacheWrite);
        expect(tokens.reasoning).toBeLessThanOrEqual(tokens.output);
      },
    ),
    { numRuns: 1_000 },
  );
});

test('no request, however malformed, is a fault; what is no JSON object is not passed', () => {
  fc.assert(
    fc.property(api, fc.oneof(fc.uint8Array(), jsonBytes()), (of, bytes) => {
      const at = { api: of, path: '/v1/x', model: null, encoding: undefined };
      const asked = askedIn(Buffer.from(bytes), at);
      const text = Buffer.from(bytes).toString();
      if (!text.trimStart().startsWith('{')) expect(asked).toBeNull();
    }),
    { numRuns: 1_000 },
  );
});

function jsonBytes() {
  return fc
    .tuple(values, fc.constantFrom('', 'data: '))
    .map(([value, front]) => Buffer.from(`${front}${JSON.stringify(value) ?? ''}\n\n`));
}
