import { expect, test } from 'vitest';
import { exampleView } from '../../test/support/example-run.ts';
import { typed } from '../../test/support/scripted-cli.ts';
import { scriptedClient } from '../../test/support/scripted-client.ts';

const parked = exampleView({
  ...{ status: 'needs_operator', phase: null, execution: null },
  ...{ disposition: 'escalated', reason: 'attempts_exhausted' },
});

test.each([
  [['--attempts', '+1000000'], 'bad_value', 'a whole number from 1 to 100'],
  [['--attempts', '0'], 'bad_value', 'a whole number from 1 to 100'],
  [['--hint', ' '], 'note_missing', 'the hint is empty'],
])('resume %j is refused, and nothing was sent', async (flags, code, said) => {
  const client = scriptedClient([parked]);
  const { exit, err } = await typed(['resume', parked.short, ...flags], { client });
  expect(exit).toBe(2);
  expect(err).toContain(`error[${code}]`);
  expect(err).toContain(said);
  expect(client.calls.map(({ verb }) => verb)).not.toContain('resume');
});

test('who sends a run to a worker is told that it goes there', async () => {
  const client = scriptedClient([parked]);
  const line = ['resume', parked.short, '--attempts', '+1', '--on', 'box-2'];
  expect((await typed(line, { client })).out).toContain('resumed, on box-2');
});
