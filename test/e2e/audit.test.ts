/**
 * Goal: `pawl audit verify` names what was tampered with: a changed byte, a cut tail, a removed
 * stream (XP-30). Method: a real store after two runs; each case tampers with a copy of it.
 */
import { cpSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ChainedEvent, genesis, hashEvent } from '../../src/store/chain.ts';
import { type BoundDatabase, sqliteBinding } from '../../src/store/sqlite/binding.ts';
import { project } from '../support/answer-project.ts';
import { type Pawl, pawl } from '../support/pawl.ts';

let own: Pawl;

beforeAll(async () => {
  own = pawl();
  const work = project(own.root);
  for (const name of ['first', 'second']) {
    const ran = await own.run([...work.run, '--name', name], { cwd: work.directory });
    expect(ran.exit, ran.stdout + ran.stderr).toBe(0);
  }
  await bothSigned();
}, 240_000);
afterAll(() => own.close());

/** The driver signs a head just after its run has ended, so a first look may come too early. */
async function bothSigned(): Promise<void> {
  let said = '';
  for (let looks = 0; looks < 60 && !said.includes('2 signed heads'); looks += 1) {
    said = (await own.run(['audit', 'verify'])).stdout;
  }
  expect(said).toContain('2 signed heads');
}

async function auditAfter(tamper: (database: BoundDatabase) => void) {
  const home = join(own.root, 'tampered');
  for (const file of ['store.db', 'store.db-wal', 'artifacts', 'keys']) {
    if (existsSync(join(own.home, file))) {
      cpSync(join(own.home, file), join(home, file), { recursive: true });
    }
  }
  const database = sqliteBinding().open(join(home, 'store.db'));
  try {
    tamper(database);
  } finally {
    database.close();
  }
  const audited = await own.run(['audit', 'verify'], { env: { PAWL_HOME: home } });
  rmSync(home, { recursive: true });
  return audited;
}

function streamOf(database: BoundDatabase, name: string): string {
  const row = database.prepare('select id from runs where name = ?').get(name);
  return (row as { readonly id: string }).id;
}

test('an untouched store passes', async () => {
  const audited = await auditAfter(() => {});
  expect(audited.stdout).toMatch(/chain verified: 2 streams, \d+ events, 2 signed heads/);
  expect(audited.stdout).toContain('not proven  who can read the signing key');
  expect(audited.exit).toBe(0);
});

test('a chain rewritten from end to end is named: its head was signed before', async () => {
  let stream = '';
  const audited = await auditAfter((database) => {
    stream = streamOf(database, 'second');
    rewrite(database, stream);
  });
  const said = audited.stdout + audited.stderr;
  expect(said).toContain(stream);
  expect(said).toContain('the chain was rewritten');
  expect(said).not.toContain('was changed');
  expect(audited.exit).toBe(1);
});

test('one changed byte is named with its stream and version', async () => {
  let stream = '';
  const audited = await auditAfter((database) => {
    stream = streamOf(database, 'first');
    const sql = "update events set data = replace(data, 'first', 'farst') where version = 1";
    expect(database.prepare(`${sql} and data like '%first%'`).run().changes).toBe(1);
  });
  expect(audited.exit).toBe(1);
  expect(audited.stdout + audited.stderr).toContain(stream);
});

test('a run that is shown as what its events do not say is named with its columns', async () => {
  let stream = '';
  const audited = await auditAfter((database) => {
    stream = streamOf(database, 'second');
    const where = "where name = 'second'";
    database.prepare(`update runs set status = 'needs_operator' ${where}`).run();
    database.prepare(`update runs set state = json_set(state, '$.run.attempt', 7) ${where}`).run();
    const references = "delete from artifact_refs where name like 'definition.%' and owner =";
    database.prepare(`${references} (select seq from runs ${where})`).run();
  });
  expect(audited.exit).toBe(1);
  const said = audited.stdout + audited.stderr;
  expect(said).toContain(stream);
  expect(said).toContain('the run is not shown as its events say: status, state.attempt');
  expect(said).toContain('references to its artifacts are gone: definition.');
});

test('a cut tail is named', async () => {
  let stream = '';
  const audited = await auditAfter((database) => {
    stream = streamOf(database, 'second');
    const last = 'select max(position) from events';
    expect(database.prepare(`delete from events where position = (${last})`).run().changes).toBe(1);
  });
  expect(audited.exit).toBe(1);
  expect(audited.stdout + audited.stderr).toContain(stream);
});

test('a removed stream is named', async () => {
  let stream = '';
  const audited = await auditAfter((database) => {
    stream = streamOf(database, 'first');
    database.prepare('pragma foreign_keys = off').run();
    for (const table of ['timers', 'approvals', 'executions', 'events']) {
      database.prepare(`delete from ${table} where ${runColumn(database, table)}`).run();
    }
    database.prepare("delete from runs where name = 'first'").run();
  });
  expect(audited.exit).toBe(1);
  expect(audited.stdout + audited.stderr).toContain(stream);
});

/** Gives the first event of the stream another author, and all that follows hashes that close. */
function rewrite(database: BoundDatabase, stream: string): void {
  const of = 'stream = (select seq from streams where stream = ?)';
  const sql = `select version, type, format, at, data_hash from events where ${of} order by version`;
  const rows = database.prepare(sql).all(stream) as readonly (ChainedEvent & {
    readonly data_hash: Uint8Array;
  })[];
  const change = database.prepare(
    `update events set actor = ?, hash = ? where ${of} and version = ?`,
  );
  const actorOf = database.prepare(`select actor from events where ${of} and version = ?`);
  let head = genesis;
  for (const row of rows) {
    const { actor } = actorOf.get(stream, row.version) as { readonly actor: string };
    const author = row.version === 1 ? 'somebody else' : actor;
    const event = { ...row, stream, actor: author };
    head = hashEvent(head, event, Buffer.from(row.data_hash).toString('hex'));
    change.run(author, Buffer.from(head, 'hex'), stream, row.version);
  }
  const ends = database.prepare('update runs set head = ? where id = ?');
  expect(ends.run(Buffer.from(head, 'hex'), stream).changes).toBe(1);
}

/** The condition that picks the rows of the first run, whichever key the table has. */
function runColumn(database: BoundDatabase, table: string): string {
  const columns = database.prepare(`pragma table_info(${table})`).all();
  const names = (columns as readonly { readonly name: string }[]).map(({ name }) => name);
  const column = names.includes('run') ? 'run' : 'stream';
  return `${column} = (select seq from runs where name = 'first')`;
}
