import { expect, test } from 'vitest';
import { at, exampleView } from '../../test/support/example-run.ts';
import { typed } from '../../test/support/scripted-cli.ts';
import { scriptedClient } from '../../test/support/scripted-client.ts';
import type { Usage } from '../ports/words.ts';

const used = (change: Partial<Usage>): Usage => ({
  costUsd: 1,
  source: 'metered',
  tokensIn: 10,
  tokensOut: 1,
  cacheRead: 100,
  cacheWrite: 0,
  ...change,
});

function client() {
  const made = scriptedClient([exampleView({ version: 9 })]);
  const turn = (seconds: number, usage: Usage) =>
    made.emit(at(seconds), {
      type: 'usage.recorded',
      execution: `${made.view().id}.1` as never,
      usage,
      at: at(seconds),
    });
  turn(10, used({ costUsd: 0.61 }));
  turn(20, used({ costUsd: 0.4, source: 'self-reported' }));
  turn(30, used({ costUsd: null, source: 'self-reported' }));
  turn(86_400, used({ costUsd: 2 }));
  return made;
}

test('costs are told by day, project and agent; the two sorts of money never as one', async () => {
  const { out, exit } = await typed(['list', '--cost', '-A'], { client: client() });
  expect(exit).toBe(0);
  const lines = out.split('\n').map((line) => line.replaceAll(/ +/g, ' ').trim());
  expect(lines).toContain('DAY RUNS TOKENS METERED SELF-REPORTED UNKNOWN');
  expect(lines).toContain('2026-03-04 1 333 $0.61 ~$0.40 1 of the turns');
  expect(lines).toContain('2026-03-05 1 111 $2.00 –');
  expect(lines).toContain('/home/me/dates 1 444 $2.61 ~$0.40 1 of the turns');
  expect(out).not.toContain('$3.01');
});

test('the same as data, and only when it is asked for', async () => {
  const asked = await typed(['list', '--cost', '-A', '--json'], { client: client() });
  const { costs } = JSON.parse(asked.out);
  expect(costs.day).toEqual([
    {
      ...{ key: '2026-03-04', runs: 1, tokens: 333 },
      ...{ meteredUsd: 0.61, selfReportedUsd: 0.4, unknown: 1 },
    },
    {
      ...{ key: '2026-03-05', runs: 1, tokens: 111 },
      ...{ meteredUsd: 2, selfReportedUsd: 0, unknown: 0 },
    },
  ]);
  expect(costs.agent).toHaveLength(1);
  const plain = await typed(['list', '-A', '--json'], { client: client() });
  expect(JSON.parse(plain.out).costs).toBeUndefined();
});
