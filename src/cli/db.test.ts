import { expect, test } from 'vitest';
import { claude, typed } from '../../test/support/scripted-cli.ts';
import type { MigrationReport, StoreAdmin, StoreStatus } from '../ports/store-admin.ts';
import type { Instant } from '../ports/words.ts';

const status: StoreStatus = {
  kind: 'postgres',
  place: 'postgres://pawl@db/pawl',
  engine: 'PostgreSQL 15.3',
  format: 1,
  known: 1,
  migrations: [{ name: '0001-spine', state: 'applied' }],
  bytes: 7_600_000,
  counts: { runs: 12, living: 3, events: 1540 },
  seats: [],
};
const seat = {
  seat: 'driver',
  holder: { worker: 'here', bootId: 'b', pid: 42, started: 1 },
  version: '0.1.0+server',
  beat: 1,
  since: 0 as Instant,
  lives: false,
} as const;

async function db(line: string, found: Partial<StoreStatus>, report?: MigrationReport) {
  const asked: (string | null)[] = [];
  const { exit, out, err } = await typed(['db', ...line.split(' ')], {
    storeAdmin: (database) => {
      asked.push(database);
      const migrate = async () => report ?? Promise.reject(new Error('not asked for'));
      return { status: async () => ({ ...status, ...found }), migrate } as StoreAdmin;
    },
  });
  return { exit, out, err, asked };
}

test('status says where the store is, its format, what is in it and who drives', async () => {
  const address = 'postgres://pawl:s3cret@db/pawl';
  const { exit, out, asked } = await db(`status --database ${address}`, { seats: [seat] });
  expect(exit).toBe(0);
  expect(asked).toEqual([address]);
  expect(out).not.toContain('s3cret');
  expect(out).toContain('store      postgres://pawl@db/pawl\n');
  expect(out).toContain('engine     PostgreSQL 15.3 · 7.2 MB\n');
  expect(out).toContain('format     1, this pawl 1\n');
  expect(out).toContain('runs       12, of those 3 not ended · 1540 events\n');
  expect(out).toMatch(/driver {5}pid 42 on here, 0\.1\.0\+server, since .* · that process is gone/);
});

test('each server that drives a database is named', async () => {
  const seats = ['driver:a', 'checks:a', 'driver:b'].map((name, n) => {
    const holder = { ...seat.holder, pid: 50 + n };
    return { ...seat, seat: name as `driver:${string}`, holder, lives: null };
  });
  const { out } = await db('status', { seats });
  expect(out).toMatch(/driver {5}pid 50 on here, .*\n {11}pid 52 on here, [^\n]*\n$/);
});

test('status tells a store that is older, newer, made otherwise, or not there', async () => {
  const pending = { name: '0002-b', state: 'pending' } as const;
  const older = await db('status', { known: 2, migrations: [...status.migrations, pending] });
  expect(older.out).toContain('format     1, this pawl 2 · pending: 0002-b\n');
  expect(older.out).toContain('next       pawl db migrate');
  const newer = await db('status', { format: 2, counts: null });
  expect(newer.out).toContain('format     2, and this pawl knows 1');
  expect(newer.out).not.toContain('driver');
  const altered = { name: '0001-spine', state: 'altered' } as const;
  const other = await db('status', { migrations: [altered] });
  expect(other.out).toContain('made by other steps than those of this pawl: 0001-spine');
  const none = await db('status', { format: null, counts: null, bytes: null });
  expect(none.out).toContain('there is no store yet');
});

test('status is one object for programs', async () => {
  const { out } = await db('status --json', { seats: [seat] });
  expect(JSON.parse(out)).toMatchObject({
    schema: 'pawl.db/1',
    place: 'postgres://pawl@db/pawl',
    format: 1,
    known: 1,
    pending: [],
    counts: { runs: 12, living: 3, events: 1540 },
    seats: [{ seat: 'driver', lives: false, since: '1970-01-01T00:00:00.000Z' }],
  });
});

test.each([
  [{ from: null, to: 1, applied: ['0001-spine'] }, '✓ made the store, format 1'],
  [{ from: 1, to: 1, applied: [] }, '✓ nothing to do: the store has format 1, as this pawl'],
  [{ from: 1, to: 2, applied: ['0002-b'] }, '✓ from format 1 to 2: 0002-b'],
])('migrate says what it did: %j', async (report, line) => {
  const { exit, out } = await db('migrate', {}, report);
  expect({ exit, out }).toEqual({ exit: 0, out: `${line}\n` });
});

test('what is no address of a database, and a server, are refused', async () => {
  const wrong = await db('status --database db.example', {});
  expect(wrong.exit).toBe(2);
  expect(wrong.err).toContain('postgres://user@host:5432/name');
  const remote = await db('migrate --server http://127.0.0.1:1', {});
  expect(remote.err).toContain('error[not_remote]');
});

test('what comes next is the command as it was typed', async () => {
  const archived = [{ run: 'r1', name: 'old', events: 3, archive: null, bytes: null }];
  const archive = async () => ({ dry: true, archived, kept: [] });
  const storeAdmin = () => ({ archive }) as unknown as StoreAdmin;
  const line = ['db', 'archive', '--older-than', '1m'];
  const dry = await typed(line, { storeAdmin });
  expect(dry.out).toContain('next       pawl db archive --older-than 1m -y\n');
  const refused = await typed([...line, '-y'], { storeAdmin, principal: claude });
  expect(refused.err).toContain('"pawl db archive" lifts a halt');
  expect(refused.err).toContain('to run:  pawl db archive --older-than 1m -y\n');
});
