/**
 * Goal: what an agent says about its work completes nothing.
 * Method: real runs; each agent claims success in its own way, and the page names what is the case.
 */
import { expect, test } from 'vitest';
import { endOf, expectNamed } from './named.ts';
import { cheat } from './rig.ts';

const spent = 'needs_operator (attempts_exhausted)';

test('success claimed, the magic word printed, the check fails (L-A1, L-B1)', () =>
  cheat(
    {
      agent: `echo 41 > answer.txt
echo '<promise>COMPLETE</promise>'
echo '{"type":"result","subtype":"success","is_error":false,"result":"<promise>DONE</promise>"}'
echo DONE`,
    },
    async ({ run }) => {
      const outcome = await run();
      expect(outcome.exit).toBe(3);
      expectNamed('claims success, prints the magic word', outcome, {
        end: spent,
        words: [/sh check\.sh exit \d+ ·\s+1\s+failed/, /last line: "DONE"/],
      });
    },
  ));

test('a result file that claims done counts as a claim (L-A1, EV-1)', () =>
  cheat(
    {
      agent: `echo 41 > answer.txt
printf '{"outcome":"done","text":"verified, all criteria pass"}' > "$PAWL_RESULT_FILE"`,
    },
    async ({ run }) => {
      expectNamed('result file claims done', await run(), {
        end: spent,
        words: [/sh check\.sh exit \d+ ·\s+1\s+failed/],
      });
    },
  ));

test('a result file with keys that nobody knows is an invalid result', () =>
  cheat(
    {
      agent: `echo 41 > answer.txt
printf '{"outcome":"done","verified":true,"pass":true}' > "$PAWL_RESULT_FILE"`,
    },
    async ({ run }) => {
      expectNamed('result file with unknown keys', await run(), {
        end: spent,
        words: [/the result of the agent is not valid: [^\n]*verified/],
      });
    },
  ));

test('nothing done on a repository whose check is red (L-B9)', () =>
  cheat({ agent: 'echo all tests pass' }, async ({ run }) => {
    expectNamed('does nothing, red repository', await run(), {
      end: spent,
      words: [/the agent changed nothing/],
    });
  }));

test('nothing done on a green repository is missing evidence, and a human is asked (EV-65, L-A13)', () =>
  cheat(
    { agent: 'echo all tests pass', files: { 'answer.txt': '42\n' } },
    async ({ run, type }) => {
      const outcome = await run();
      expectNamed('does nothing, green repository', outcome, {
        end: spent,
        words: [/baseline[^\n]*(green|pass)/, /the agent changed nothing/],
      });
      const events = await type(['show', '@last', '--events', '--json']);
      expect(events.stdout).toMatch(/"verification.recorded".*"outcome":"missing_evidence"/);
      expect(outcome.words).toMatch(/manual/);
    },
  ));

test('work on a green repository waits for a human, whom the check cannot replace (L-A13)', () =>
  cheat(
    { agent: 'echo more > more.txt; echo done', files: { 'answer.txt': '42\n' } },
    async ({ run }) => {
      const outcome = await run();
      expect(outcome.exit).toBe(4);
      expectNamed('does something, green repository', outcome, {
        end: 'waiting_human',
        words: [/passes? on the base[^\n]*|already[^\n]*pass[^\n]*/],
      });
    },
  ));

test('exit 0 with "2 failed" is a failure (L-A22, L-A23)', () =>
  cheat(
    {
      agent: 'echo 42 > answer.txt',
      files: { 'check.sh': 'echo "40 passed, 2 failed"; exit 0\n' },
      args: ['--check', 'sh check.sh', '--baseline', 'skip'],
    },
    async ({ run }) => {
      expectNamed('check exits 0 with "2 failed"', await run(), {
        end: spent,
        words: [/exit 0[^\n]*2 failed|2 failed[^\n]*exit 0/],
      });
    },
  ));

test('two of three criteria are not three (L-A9)', () =>
  cheat(
    {
      agent: 'echo 42 > answer.txt; echo 3/3 pass',
      args: ['--check', 'sh check.sh', '--check', 'true', '--check', 'sh never.sh'],
      files: { 'never.sh': 'echo "1 failed"; exit 1\n' },
    },
    async ({ run }) => {
      const outcome = await run();
      expect(endOf(outcome)).toBe(spent);
      expectNamed('two of three criteria pass', outcome, {
        end: spent,
        words: [/sh never\.sh exit \d+/],
      });
    },
  ));
