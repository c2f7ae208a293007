/** Goal: an editor that is left without a change, or with nonsense, starts nothing (UX 2.4). */
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { exampleDefinition, exampleView } from '../../test/support/example-run.ts';
import { typed } from '../../test/support/scripted-cli.ts';
import { scriptedClient } from '../../test/support/scripted-client.ts';

const { execute } = exampleDefinition().roles;

/** `retry --edit` with an editor of one line of shell; `$0` is the file. */
async function edited(script: string, isTerminal = true) {
  const client = scriptedClient([
    exampleView({ status: 'complete', phase: null, verification: 'passed' }),
  ]);
  client.define(exampleDefinition({ roles: { execute, verify: null } }));
  const done = await typed(['retry', '7k2m', '--edit', '-d'], {
    client,
    terminal: { isTerminal },
    env: { EDITOR: `sh -c '${script}'` },
  });
  return { ...done, verbs: client.calls.map(({ verb }) => verb), calls: client.calls };
}

test('what was changed is the definition of the new run', async () => {
  const { exit, verbs, calls } = await edited('sed -i "s/npm test/npm run other/" "$0"');
  expect({ exit, verbs: verbs[0] }).toEqual({ exit: 0, verbs: 'retry' });
  expect(JSON.stringify(calls[0]?.details)).toContain('npm run other');
});

test('unchanged: nothing is started', async () => {
  const { exit, err, verbs } = await edited('true');
  expect({ exit, verbs }).toEqual({ exit: 2, verbs: ['close'] });
  expect(err).toContain('nothing was changed, so nothing was started');
  expect(err).toContain('pawl retry 7k2m');
});

test('an editor that fails starts nothing', async () => {
  const { exit, err, verbs } = await edited('exit 3');
  expect({ exit, verbs }).toEqual({ exit: 2, verbs: ['close'] });
  expect(err).toContain('the editor ended with 3; nothing was started');
});

test('nonsense is named by its line, and what was typed is kept', async () => {
  const { exit, err, verbs } = await edited('printf "\\nbrakes: { attempts: many }\\n" > "$0"');
  expect({ exit, verbs }).toEqual({ exit: 2, verbs: ['close'] });
  const file = /kept: (\S+)/.exec(err)?.[1] ?? '';
  expect(err).toContain(`${file}:2:21: "brakes.attempts" must be a whole number from 0 to 100`);
  expect(await readFile(file, 'utf8')).toContain('many');
  await rm(dirname(file), { recursive: true });
  expect(existsSync(file)).toBe(false);
});

test('without a terminal no editor is opened', async () => {
  expect((await edited('true', false)).err).toContain('--edit needs a terminal');
});
