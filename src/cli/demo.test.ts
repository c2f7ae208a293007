import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { exampleCall } from '../../test/support/example-call.ts';
import { exampleView } from '../../test/support/example-run.ts';
import { typed } from '../../test/support/scripted-cli.ts';
import { scriptedClient } from '../../test/support/scripted-client.ts';
import type { RunId } from '../ports/words.ts';

let parent: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'pawl-clean-'));
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

test('--clean removes what a demo of this store made and has ended, and nothing else', async () => {
  const folder = (name: string): string => {
    mkdirSync(join(parent, name));
    return join(parent, name);
  };
  const [ended, open, asking, foreign, ordinary] = [
    'pawl-demo-aaaaaa',
    'pawl-demo-bbbbbb',
    'pawl-demo-cccccc',
    'pawl-demo-dddddd',
    'work',
  ].map(folder);
  const view = (id: string, project = '', status: 'complete' | 'active' = 'complete') =>
    exampleView({ id: id as RunId, project, status });
  // Its lane lives, and works in there.
  const gate = exampleCall('dddd4.a1');
  const client = scriptedClient([
    view('aaaa1', ended),
    view('bbbb2', open, 'active'),
    { ...view('dddd4', asking), status: 'waiting_human', gate },
    view('cccc3', ordinary),
  ]);
  const { out, exit } = await typed(['demo', '--clean', '--json'], { client });
  expect(exit).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ removed: [ended], kept: [open, asking] });
  expect([ended, open, asking, foreign, ordinary].map((path) => existsSync(path ?? ''))).toEqual([
    false,
    true,
    true,
    true,
    true,
  ]);
});
