import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { nothingSeen, type Probed } from '../../ports/agent-probe.ts';
import { keepProbed, lastProbed } from './kept.ts';

const home = mkdtempSync(join(tmpdir(), 'pawl-kept-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const probed: Probed = {
  ...{ agent: 'claude', version: '2.1.332', at: 1_764_400_000_000, ok: true, problems: ['x'] },
  signals: { ...nothingSeen, tools: 'yes', usage: 'total', cancel: 2 },
};
const path = join(home, 'probes', 'claude.json');

test('a result is read as it was kept, and nobody else reads it', async () => {
  keepProbed(home, probed);
  expect(await lastProbed(home, 'claude')).toEqual(probed);
  expect(statSync(path).mode & 0o077).toBe(0);
  expect(await lastProbed(home, 'codex')).toBeNull();
});

const form = { formVersion: 1, ...probed };

test.each([
  ['half of it', JSON.stringify(form).slice(0, 60)],
  ['no object', 'null'],
  ['another form', JSON.stringify({ ...form, formVersion: 2 })],
  ['another agent', JSON.stringify({ ...form, agent: 'codex' })],
  ['a word of no signal', JSON.stringify({ ...form, signals: { ...probed.signals, tools: 'ja' } })],
  ['a signal less', JSON.stringify({ ...form, signals: { tools: 'yes' } })],
  [
    'a count below nothing',
    JSON.stringify({ ...form, signals: { ...probed.signals, cancel: -1 } }),
  ],
  ['no time', JSON.stringify({ ...form, at: 'today' })],
])('%s is as good as never probed', async (_, text) => {
  writeFileSync(path, text);
  expect(await lastProbed(home, 'claude')).toBeNull();
});
