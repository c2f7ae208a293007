/**
 * Goal: many processes on one file lose nothing, whatever moment they die at. Method: real ones.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Store } from '../../src/ports/store.ts';
import { query } from '../../src/store/query.ts';
import { sqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { bundleProgram } from '../support/bundle.ts';
import { expectFoldIsProjection } from '../support/fold.ts';
import { child, type Ended } from './children.ts';
import { foldTest, runId } from './deciding.ts';
import { wallClock as clock, strangersConnection, temporary } from './opened.ts';

let program: Awaited<ReturnType<typeof bundleProgram>>;
let directory: string;
let remove: () => void;
beforeAll(async () => {
  program = await bundleProgram('test/conformance/child.ts');
});
afterAll(() => program.remove());
beforeEach(() => {
  ({ directory, remove } = temporary());
});
afterEach(() => remove());

const node = (...args: readonly string[]) => child(process.execPath, [program.file, ...args]);

/** Opens what the processes left, checks all that can be checked, and lets the test look. */
async function inspect(look: (store: Store) => Promise<void>): Promise<void> {
  const store = await sqliteStore({ directory, clock });
  await look(store);
  await expectFoldIsProjection(store, foldTest);
  expect((await store.audit()).problems).toEqual([]);
  await store.close();
  const stranger = await strangersConnection(directory);
  expect(stranger.pragma('integrity_check')).toBe('ok');
  stranger.close();
}

const well = { code: 0, errors: '' };

test('20 processes at once on an empty folder make one store and lose nothing (L-K1, L-K2, D-56, D-59, D-60)', async () => {
  const ended = await Promise.all(
    Array.from({ length: 20 }, (_, n) => node('add', directory, `p${n}`).ended),
  );
  for (const one of ended) expect(one).toMatchObject(well);
  await inspect(async (store) => {
    expect(await store.runs({ limit: 100 })).toHaveLength(20);
    expect(await store.eventsAfter(null, 100)).toHaveLength(20);
  });
});

test('12 processes with 200 writes each: nobody hears of a busy store (D-110)', async () => {
  const ended = await Promise.all(
    Array.from({ length: 12 }, (_, n) => node('steps', directory, `p${n}`, '200').ended),
  );
  for (const one of ended) {
    expect(one).toMatchObject(well);
    expect(one.lines.filter((line) => !line.endsWith(' committed'))).toEqual([]);
    expect(one.lines).toHaveLength(201);
  }
  await inspect(async (store) => {
    for (let n = 0; n < 12; n += 1) {
      expect(await store.loadRun(runId(`p${n}`))).toMatchObject({ version: 201 });
    }
  });
});

test('kill -9 between the last write and the commit of 50 commands: none is there, none was announced', async () => {
  const ended = await node('together', directory, '50', 'store.before_commit').ended;
  expect(ended.signal).toBe('SIGKILL');
  expect(ended.lines).toHaveLength(50);
  await inspect(async (store) => {
    expect(await store.runs({ limit: 100 })).toHaveLength(50);
    expect(await store.eventsAfter(null, 1_000)).toHaveLength(50);
  });
});

test('kill -9 just after the commit of 50 commands: all are there', async () => {
  const ended = await node('together', directory, '50', 'store.after_commit').ended;
  expect(ended.signal).toBe('SIGKILL');
  await inspect(async (store) => {
    expect(await store.eventsAfter(null, 1_000)).toHaveLength(100);
  });
});

test('a disk that refuses to write: each command is announced and there, or refused and not', async () => {
  await (await sqliteStore({ directory, clock })).close();
  // Files may grow to so many blocks of 512 bytes; Node ignores SIGXFSZ, so SQLite meets an error.
  const script = 'ulimit -f 600; exec "$@"';
  const args = [
    '-c',
    script,
    'sh',
    process.execPath,
    program.file,
    'together',
    directory,
    '50',
    '-',
  ];
  const ended = await child('sh', args).ended;
  const hints = ended.lines.filter((line) => line.includes('---'));
  expect(hints, ended.errors).toHaveLength(50);
  const refused = hints.filter((line) => line.includes(' unavailable '));
  expect(refused.length).toBeGreaterThan(0);
  expect(refused[0]).toContain('the store cannot be used');
  await inspect(async (store) => {
    expect(await store.eventsAfter(null, 1_000)).toHaveLength(50 + announced(hints).length);
    for (const line of announced(hints)) {
      const run = runId(line.split('-')[0] ?? '');
      expect(await store.loadRun(run), line).toMatchObject({ version: 2 });
    }
  });
});

const announced = (lines: readonly string[]) => lines.filter((line) => line.endsWith(' committed'));

/** Reproducible moments of death. */
function moments(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

test('8 writers, each killed at odd moments and started again: no damage, no announced write lost (L-K4)', async () => {
  const fraction = moments(42);
  const dying = async (run: string): Promise<Ended[]> => {
    const lives: Ended[] = [];
    for (let life = 0; life < 4; life += 1) {
      const one = node('soak', directory, run);
      await one.said(Math.floor(1 + 60 * fraction()));
      one.process.kill('SIGKILL');
      lives.push(await one.ended);
    }
    return lives;
  };
  const runs = Array.from({ length: 8 }, (_, n) => `w${n}`);
  const lives = await Promise.all(runs.map(dying));
  expect(lives.flat().map(({ errors }) => errors)).toEqual(Array(32).fill(''));
  await inspect(async (store) => {
    for (const [index, run] of runs.entries()) {
      const events = await store.events(runId(run), 0, 100_000);
      const stored = events.flatMap(({ event }) => (event.type === 'hint.added' ? event.text : []));
      const texts = new Set<string>(stored);
      expect(texts.size, 'nothing is there twice').toBe(stored.length);
      const said = lives[index]?.flatMap(({ lines }) => announced(lines)) ?? [];
      expect(said.length).toBeGreaterThan(0);
      const lost = said.filter((line) => !texts.has(line.replace(/ committed$/, '')));
      expect(lost, 'announced and not there').toEqual([]);
    }
  });
});

const strace = spawnSync('strace', ['-f', '-o', '/dev/null', 'true']).status === 0;

test.skipIf(!strace)(
  'every commit is synced, as counted from outside by strace (skipped where strace cannot trace)',
  async () => {
    const syncs = async (run: string, steps: number): Promise<number> => {
      const trace = `${directory}/${run}.trace`;
      const what = [process.execPath, program.file, 'steps', directory, run, `${steps}`];
      const traced = ['-f', '-o', trace, '-e', 'trace=fsync,fdatasync', ...what];
      expect(await child('strace', traced).ended).toMatchObject({ code: 0 });
      const calls = readFileSync(trace, 'utf8').match(/(fsync|fdatasync)\(/g);
      return calls?.length ?? 0;
    };
    await syncs('made', 0);
    const none = await syncs('none', 0);
    expect(await syncs('many', 50)).toBeGreaterThanOrEqual(none + 50);
  },
);

const synchronous = query<[], { readonly synchronous: number }>('pragma synchronous');

test('the connection that writes says itself that it syncs fully', async () => {
  const { openForWriting } = await import('../../src/store/sqlite/open-file.ts');
  const { sqliteBinding } = await import('../../src/store/sqlite/binding.ts');
  await (await sqliteStore({ directory, clock })).close();
  const binding = sqliteBinding();
  const connection = await openForWriting({ binding, file: `${directory}/store.db`, clock });
  expect(connection.get(synchronous)).toMatchObject({ synchronous: 2 });
  expect(connection.pragma('journal_mode')).toBe('wal');
  connection.close();
});
