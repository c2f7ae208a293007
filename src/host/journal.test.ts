import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { parseJournal } from '../ports/journal.ts';
import { openJournal, readJournal } from './journal.ts';

const root = mkdtempSync(join(tmpdir(), 'pawl-journal-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

function journal(name: string, fileBytesMax = 1_000_000) {
  const directory = join(root, name);
  const secrets = { TOKEN: 'very-secret-value' };
  const opened = openJournal({
    directory,
    secrets,
    now: () => 1_700_000_000_000,
    monotonicMs: () => 5,
    fileBytesMax,
  });
  return { directory, journal: opened };
}

test('lines are whole JSON with order, times and kind, readable while it is written (L-C12)', () => {
  const { directory, journal: out } = journal('plain');
  out.output('stdout', Buffer.from('one\n'));
  out.note('a note');
  out.output('stderr', Buffer.from('two'));
  const text = readFileSync(join(directory, '000.ndjson'), 'utf8');
  expect(parseJournal(text)).toEqual([
    { seq: 1, ms: 0, at: 1_700_000_000_000, kind: 'stdout', text: 'one\n' },
    { seq: 2, ms: 0, at: 1_700_000_000_000, kind: 'note', text: 'a note' },
    { seq: 3, ms: 0, at: 1_700_000_000_000, kind: 'stderr', text: 'two' },
  ]);
  expect(out.lastSeq).toBe(3);
  out.close();
});

test('neither a secret nor a character is broken by the border of two chunks (L-N5)', async () => {
  const { directory, journal: out } = journal('cut');
  const bytes = Buffer.from('日very-secret-value本');
  for (const byte of bytes) out.output('stdout', Uint8Array.of(byte));
  out.end();
  out.close();
  const lines = parseJournal(await readJournal(directory, 1_000_000));
  expect(lines.map(({ text }) => text).join('')).toBe('日‹redacted TOKEN›本');
});

test('rotated files keep the head and the newest two, whatever is printed (L-I4)', async () => {
  const { directory, journal: out } = journal('long', 10_000);
  for (let count = 0; count < 200; count += 1) out.output('stdout', Buffer.alloc(1_000, 'x'));
  out.sync();
  out.close();
  const files = readdirSync(directory);
  expect(files).toHaveLength(3);
  expect(files).toContain('000.ndjson');
  const lines = parseJournal(await readJournal(directory, 1_000_000));
  expect(lines[0]?.seq).toBe(1);
  expect(lines.at(-1)?.seq).toBe(200);
});

test('one line of 5 MB becomes lines that a reader can hold (L-I2)', async () => {
  const { directory, journal: out } = journal('wide', 100_000_000);
  out.output('stdout', Buffer.alloc(5_000_000, 'y'));
  out.close();
  const text = await readJournal(directory, 100_000_000);
  expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThan(70_000);
  const all = parseJournal(text).reduce((sum, line) => sum + line.text.length, 0);
  expect(all).toBe(5_000_000);
});

test('a bounded reading has whole lines of head and tail only', async () => {
  const { directory, journal: out } = journal('bounded');
  for (let count = 0; count < 100; count += 1) out.note(`note ${count}`);
  out.close();
  const text = await readJournal(directory, 2_000);
  expect(text.length).toBeLessThanOrEqual(2_000);
  const lines = parseJournal(text);
  expect(lines).toHaveLength(text.trimEnd().split('\n').length);
  expect(lines[0]?.seq).toBe(1);
  expect(lines.at(-1)?.seq).toBe(100);
});

test('no journal yet reads as nothing', async () => {
  expect(await readJournal(join(root, 'nowhere'), 10)).toBe('');
});
