/** A run goes by the settings it was started with, and says when the file says other things. */
import { expect, test } from 'vitest';
import { exampleDefinition, exampleView } from '../../test/support/example-run.ts';
import { typed } from '../../test/support/scripted-cli.ts';
import { scriptedClient } from '../../test/support/scripted-client.ts';
import { settingsPrint } from './settings-print.ts';

const file = '/home/me/dates/pawl.yaml';
const io = (text: string | null) => ({ readFile: async () => text });

async function shown(before: string, now: string | null, ...flags: readonly string[]) {
  const settings = await settingsPrint({ io: io(before) } as never, file);
  if (settings === null) throw new Error('there was a file');
  const client = scriptedClient([exampleView()]);
  client.define({ ...exampleDefinition(), settings });
  const files = now === null ? {} : { [file]: now };
  return typed(['show', '7k2m', ...flags], { client, terminal: { files } });
}

test.each([['agent: other\n'], [null]])(
  'a file that reads %j now has changed (UX 4.3)',
  async (now) => {
    const { out } = await shown('agent: mine\n', now);
    expect(out).toMatch(/settings +pawl\.yaml has changed since; .*show 7k2m --definition/);
    const json = JSON.parse((await shown('agent: mine\n', now, '--json')).out);
    expect(json.settingsChanged).toBe(true);
  },
);

test('the same file, or none at the start, is not spoken of', async () => {
  expect((await shown('agent: mine\n', 'agent: mine\n')).out).not.toContain('has changed since');
  const { out } = await typed(['show', '7k2m'], { client: scriptedClient([exampleView()]) });
  expect(out).not.toContain('has changed since');
  expect(await settingsPrint({ io: io(null) } as never, file)).toBeNull();
  expect(await settingsPrint({ io: io('x') } as never, null)).toBeNull();
});
