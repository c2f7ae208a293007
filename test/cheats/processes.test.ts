/**
 * Goal: a turn ends with all that the agent started, whatever it did to stay, and its work counts.
 * Method: real runs; agents that ignore signals, leave daemons, never exit. At the end of each
 * nothing of its root may run, and what a daemon wrote must have stopped growing before the check.
 */
import { expect, test } from 'vitest';
import { expectNamed } from './named.ts';
import { cheat } from './rig.ts';

/** Marks its life in a file outside of every tree; `touch` of the tree is what it is about. */
const daemon = `#!/bin/sh
trap '' TERM HUP INT
while :; do echo alive >> "$1"; echo 1 > "$2/answer.txt"; sleep 0.05; done
`;

const leaves: readonly (readonly [how: string, line: string])[] = [
  ['in the background', 'sh $ROOT/daemon.sh $ROOT/beats $PWD &'],
  ['with nohup', 'nohup sh $ROOT/daemon.sh $ROOT/beats $PWD > /dev/null 2>&1 &'],
  [
    'in a session of its own',
    'setsid sh $ROOT/daemon.sh $ROOT/beats $PWD > /dev/null 2>&1 < /dev/null &',
  ],
  [
    'forked twice, own session, no environment, no pipes',
    '(cd / && env -i PATH="$PATH" setsid sh -c \'sh "$0" "$1" "$2" &\' $ROOT/daemon.sh $ROOT/beats $PWD > /dev/null 2>&1 < /dev/null &)',
  ],
];

test.each(leaves)('leaves a daemon %s that writes into its tree (L-L1, L-D23, L-J1)', (how, line) =>
  cheat(
    {
      agent: `tree=$PWD
(${line.replaceAll('$PWD', '$tree')})
while [ ! -s $ROOT/beats ]; do sleep 0.02; done
echo done`,
      beside: { 'daemon.sh': daemon },
    },
    async ({ run, read, program }) => {
      const outcome = await run();
      const beats = read('beats').length;
      expect(beats).toBeGreaterThan(0);
      expectNamed(`leaves a daemon ${how}`, outcome, {
        end: 'needs_operator (attempts_exhausted)',
        words: [/sh check\.sh exit \d+ ·\s+1\s+failed/],
      });
      const left = program.processes().filter(({ command }) => command.includes('daemon.sh'));
      expect(left).toEqual([]);
      expect(read('beats').length).toBe(beats);
    },
  ),
);

test('ignores SIGTERM, leaves its result and never exits: its work counts (L-D1, L-L3, L-L4)', () =>
  cheat(
    {
      agent: `trap '' TERM HUP INT
echo 42 > answer.txt
echo all tests pass
printf '{"outcome":"done"}' > "$PAWL_RESULT_FILE"
while :; do sleep 1; done`,
    },
    async ({ run }) => {
      expectNamed('leaves its result, ignores SIGTERM, never exits', await run(), {
        end: 'complete',
        words: [/verified on attempt 1/],
      });
    },
  ));

test('prints success and never exits: its time is up, no attempt is spent, the run stops (L-D1, L-D2)', () =>
  cheat(
    {
      agent: `trap '' TERM HUP INT
echo '{"type":"result","subtype":"success"}'
while :; do sleep 1; done`,
      files: {
        'pawl.yaml':
          'version: 1\nbrakes: { attemptTime: 5s, errorSignals: 1 }\nrecovery: { requeues: 0, transfers: 0 }\n',
      },
    },
    async ({ run }) => {
      const outcome = await run();
      expect(outcome.run.status).toBe('needs_operator');
      expectNamed('prints success, never exits', outcome, {
        end: `needs_operator (${outcome.run.reason})`,
        words: [/time was up/],
      });
      expect(['recovery_exhausted', 'convergence_signals']).toContain(outcome.run.reason);
    },
  ));

test('forks, exits at once and works on in the fork: what is not there at its end does not count (L-L1)', () =>
  cheat(
    {
      agent: `(sleep 0.3; echo 42 > answer.txt; while :; do sleep 1; done) > /dev/null 2>&1 &
echo done`,
    },
    async ({ run }) => {
      const outcome = await run();
      expectNamed('forks and exits', outcome, {
        end: 'needs_operator (attempts_exhausted)',
        words: [/the agent changed nothing/],
      });
    },
  ));

test('kills its own parent and every process that it may (L-D12)', () =>
  cheat(
    { agent: 'echo 41 > answer.txt; kill -9 $PPID; kill -9 -1; echo all tests pass', attempts: 1 },
    async ({ run }) => {
      const outcome = await run();
      expect(outcome.run.status).toBe('needs_operator');
      expectNamed('kills its parent and all it may', outcome, {
        end: `needs_operator (${outcome.run.reason})`,
        words: [/lane died|exit \d+ ·\s+1\s+failed/],
      });
    },
  ));
