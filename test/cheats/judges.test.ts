/**
 * Goal: a judge is believed only for a typed verdict.
 * Method: real runs whose check passes; what the judging agent prints alone would let them through.
 */
import { expect, test } from 'vitest';
import { expectNamed } from './named.ts';
import { cheat } from './rig.ts';

const spent = 'needs_operator (attempts_exhausted)';
const agent = 'echo 42 > answer.txt';

const bad: readonly (readonly [says: string, line: string, words: RegExp])[] = [
  ['prose', 'I would PASS this if the tests were right', /no verdict|unparseable/],
  ['an error banner', 'Error: 401 invalid api key', /no verdict|unparseable/],
  ['"yes" for pass', '{"pass":"yes","score":1,"reasons":["fine"]}', /no verdict|unparseable/],
  ['1 for pass', '{"pass":1,"score":1,"reasons":["fine"]}', /no verdict|unparseable/],
  ['null for pass', '{"pass":null,"score":1,"reasons":["fine"]}', /no verdict|unparseable/],
  [
    '"False" for pass',
    '{"pass":"False","score":1,"reasons":["not right"]}',
    /unparseable|not right/,
  ],
  ['"false" for pass', '{"accepted":true,"pass":"false","reasons":["not right"]}', /not right/],
];

test.each(bad)(
  'a judge that says %s passes nothing (L-A17, L-A18, L-A20, EV-54)',
  (says, line, words) =>
    cheat({ agent, judge: `cat > /dev/null\ncat <<'END'\n${line}\nEND` }, async ({ run }) => {
      expectNamed(`judge says ${says}`, await run(), { end: spent, words: [words] });
    }),
);

test('a judge that says true, as a string too, is believed: the control of the above (EV-54)', () =>
  cheat(
    { agent, judge: `cat > /dev/null\necho '{"pass":"true","score":0.9,"reasons":["right"]}'` },
    async ({ run }) => {
      const outcome = await run();
      expect(outcome.exit).toBe(0);
      expectNamed('(control) judge says true', outcome, {
        end: 'complete',
        words: [/verified on attempt 1/, /The answer is right/],
      });
    },
  ));
