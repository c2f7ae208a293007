/**
 * Goal: with --json every command gives objects with a schema and nothing else, on success and on
 * failure (UX 0.3, L-I11).
 * Method: each command of the table is typed once so that it works and once so that it cannot; a
 * command that is added without its two lines fails the first test.
 */
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { exampleView } from '../../test/support/example-run.ts';
import { typed } from '../../test/support/scripted-cli.ts';
import { type ScriptedClient, scriptedClient } from '../../test/support/scripted-client.ts';
import type { RunView } from '../ports/client.ts';
import type { StoreAdmin } from '../ports/store-admin.ts';
import { commandRows } from './commands.ts';

type Line = readonly string[];
interface Row {
  /** Null: a terminal is shown, of which there is no JSON (UX 2.4). */
  readonly works: Line | null;
  readonly fails: Line;
  readonly view?: Partial<RunView>;
}

const settled = { status: 'complete', phase: null, verification: 'passed' } as const;
const parked = {
  status: 'needs_operator',
  phase: null,
  disposition: 'escalated',
  reason: 'attempts_exhausted',
} as const;
const waiting = {
  status: 'waiting_human',
  phase: null,
  gate: {
    kind: 'manual',
    approval: '7k2mab34cd56.a1',
    look: 'look',
    commit: '9'.repeat(40),
    step: 1,
    askedAt: 0,
    expiresAt: null,
  },
} as unknown as Partial<RunView>;
/** Of the one artifact that the client of these tests has. */
const held = `sha256:${createHash('sha256').update('held').digest('hex')}`;
const check = ['-c', 'npm test', '--agent-cmd', 'my-agent {prompt}'];

const rows: Readonly<Record<string, Row>> = {
  init: {
    works: ['-y', '--agent-cmd', 'a', '-c', 'x', '--print'],
    fails: ['--agent', 'nobody', '-y'],
  },
  run: { works: ['fix it', ...check, '-d'], fails: [...check] },
  demo: { works: ['--clean'], fails: ['--stuck', '--crash', '--nope'] },
  status: { works: [], fails: ['--since', 'x'] },
  list: { works: [], fails: ['--limit', '0'] },
  show: { works: ['7k2m'], fails: ['zzzz'] },
  watch: { works: ['7k2m'], fails: ['zzzz'], view: settled },
  wait: { works: ['7k2m'], fails: ['zzzz'], view: settled },
  logs: { works: ['7k2m'], fails: ['7k2m', '--attempt', '9'] },
  attach: { works: null, fails: ['7k2m'] },
  diff: { works: ['7k2m'], fails: ['7k2m', '--attempt', '9'] },
  path: { works: ['7k2m'], fails: ['zzzz'] },
  approve: { works: ['7k2m', '--yes'], fails: ['zzzz'], view: waiting },
  reject: { works: ['7k2m', '--note', 'no'], fails: ['7k2m'], view: waiting },
  answer: {
    works: ['7k2m', 'yes'],
    fails: ['7k2m', ''],
    view: { ...parked, reason: 'blocked_by_question' },
  },
  resume: { works: ['7k2m', '--attempts', '+1'], fails: ['7k2m', '--time', 'x'], view: parked },
  consult: { works: ['7k2m'], fails: ['zzzz'], view: parked },
  accept: { works: ['7k2m', '--reason', 'ok'], fails: ['7k2m'], view: parked },
  land: { works: ['7k2m'], fails: ['7k2m', '--merge', '--ff'], view: settled },
  prune: { works: [], fails: ['--older-than', 'x'] },
  hint: { works: ['7k2m', 'look there'], fails: ['7k2m', ' '] },
  pause: { works: ['7k2m'], fails: ['zzzz'] },
  cancel: { works: ['7k2m'], fails: ['zzzz'] },
  retry: { works: ['7k2m', '-d', ...check], fails: ['7k2m', '--base', 'nope'], view: settled },
  checks: { works: [], fails: ['--nope'] },
  'config check': { works: [], fails: ['--nope'] },
  'config show': { works: [], fails: ['--nope'] },
  'config schema': { works: [], fails: ['--nope'] },
  'config path': { works: [], fails: ['--nope'] },
  completion: { works: ['runs'], fails: ['powershell'] },
  'audit verify': { works: [], fails: ['--nope'] },
  'artifact verify': { works: ['r.json'], fails: ['missing.json'] },
  'artifact get': { works: [held], fails: ['sha256:12'] },
  'db status': { works: [], fails: ['--database', 'mysql://h/d'] },
  'db migrate': { works: [], fails: ['--database', 'mysql://h/d'] },
  'db copy': { works: ['--to', 'postgres://h/d'], fails: ['--to', 'mysql://h/d'] },
  'db archive': { works: [], fails: ['--older-than', 'x'] },
  doctor: { works: [], fails: ['--nope'] },
  service: { works: ['status'], fails: ['bogus'] },
  serve: { works: [], fails: ['--database', 'mysql://h/d'] },
  worker: { works: ['list'], fails: ['revoke'] },
  operator: { works: ['list'], fails: ['bogus'] },
  help: { works: ['states'], fails: ['nothing'] },
};

const names = commandRows.map(({ name }) => name);

test('every command has its two lines', () => {
  expect(names.filter((name) => rows[name] === undefined)).toEqual([]);
});

const client = ({ view = {} }: Row): ScriptedClient => ({
  ...scriptedClient([exampleView(view)]),
  prunable: async () => [],
  artifact: async () => Buffer.from('held'),
});
const counts = { runs: 0, living: 0, events: 0 };
const noStore = {
  kind: 'sqlite',
  place: 'here',
  engine: 'SQLite',
  format: null,
  known: 1,
} as const;
const storeAdmin = (): StoreAdmin => ({
  status: async () => ({ ...noStore, migrations: [], bytes: null, counts: null, seats: [] }),
  migrate: async () => ({ from: null, to: 1, applied: [] }),
  copy: async () => ({ ...counts, from: 'a', to: 'b', artifacts: { copied: 0, bytes: 0 } }),
  archive: async ({ dry }) => ({ dry, archived: [], kept: [] }),
  checkArchive: () => Promise.reject(new Error('not asked for')),
});
/** A stream may be empty. */
const schemas = (out: string): readonly unknown[] =>
  out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => (JSON.parse(line) as { readonly schema?: unknown }).schema);
const terminal = { files: { '/home/me/dates/r.json': '{}' } };

test.each(names)('%s --json', async (name) => {
  const row = rows[name] ?? { works: [], fails: [] };
  const line = (words: Line): Line => [...name.split(' '), ...words, '--json'];
  if (row.works !== null) {
    const done = await typed(line(row.works), { client: client(row), terminal, storeAdmin });
    expect(done.err).toBe('');
    for (const schema of schemas(done.out)) expect(schema).toMatch(/^pawl\.[a-z-]+\/1$/);
    expect(schemas(done.out)).not.toContain('pawl.error/1');
  }
  const failed = await typed(line(row.fails), { client: client(row), terminal, storeAdmin });
  expect(failed.exit).toBeGreaterThan(0);
  expect({ schemas: schemas(failed.out), err: failed.err }).toEqual({
    schemas: ['pawl.error/1'],
    err: '',
  });
});

test.each([
  [['--json'], 'pawl.help/1'],
  [['--json', '--help'], 'pawl.help/1'],
  [['--version', '--json'], 'pawl.version/1'],
  [['land', '--help', '--json'], 'pawl.help/1'],
  [['help', '--json'], 'pawl.help/1'],
  [['--json', 'bogus'], 'pawl.error/1'],
])('%j', async (line, schema) => {
  const { out, err } = await typed(line);
  expect({ schemas: schemas(out), err }).toEqual({ schemas: [schema], err: '' });
});

test('the overview for programs names every command', async () => {
  const { out } = await typed(['--json']);
  const { commands } = JSON.parse(out) as {
    readonly commands: readonly { readonly name: string }[];
  };
  expect(commands.map(({ name }) => name)).toEqual(names);
});
