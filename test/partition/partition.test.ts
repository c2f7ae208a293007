/**
 * Goal: a worker that is cut off, in whole or in one direction, or that stands still past its
 * lease, fences itself; another goes on with the same attempt; and when it is back it is refused on
 * every verb, and its work tree is kept and used no more. Nothing is doubled, nothing lost.
 * Method: the built program as real processes over real PostgreSQL; the network of the first worker
 * is a namespace of its own where this machine lets us have one, else a cutting proxy.
 */
import { existsSync, rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TreeRecord } from '../../src/git/records.ts';
import { readRecord } from '../../src/git/records.ts';
import { emptyStore, type PostgresServer, startPostgres } from '../support/postgres.ts';
import { signal, until } from '../support/processes.ts';
import { keptClaim, sayLate } from './late-words.ts';
import { type Link, namespaceLink, proxyLink } from './link.ts';
import { note } from './table.ts';
import { begunBy, type Machine, openWorld, spooled, untilTold, type World } from './world.ts';

let postgres: PostgresServer;

beforeAll(async () => {
  postgres = await startPostgres();
}, 120_000);
afterAll(() => postgres.stop());

/** A lease lasts 30 s; one whose beats arrive is renewed until its holder fences itself. */
const takenOverMs = 150_000;

interface Stage {
  readonly world: World;
  readonly link: Link;
  readonly first: Machine;
  readonly second: () => Promise<Machine>;
  /** Where the second worker and the operator go. */
  readonly server: string;
}

async function onStage(link: Link, act: (stage: Stage) => Promise<void>): Promise<void> {
  const world = await openWorld(await emptyStore(postgres.url));
  try {
    const { url: server } = await world.server();
    const near = link.kind === 'cutting proxy' ? server : (await world.server(link)).url;
    const machine = { through: link.through };
    const first = await world.worker('ada', await link.address(near), machine);
    await act({ world, link, first, server, second: () => world.worker('bob', server) });
  } finally {
    await world.close();
    await link.close();
  }
}

/** The first worker is at work, and alone; then the second is there. */
async function atWork({ world, first, second }: Stage): Promise<string> {
  await world.start('answer');
  const isAtWork = await until(() => world.work.wrote().length > 2, 120_000);
  expect(isAtWork, `at work:\n${first.said()}`).toBe(true);
  await second();
  const [execution = ''] = begunBy(world);
  return execution;
}

/** Another has begun the same attempt; then its work may end. */
async function takenOver({ world }: Stage): Promise<string> {
  expect(await until(() => begunBy(world).length > 1, takenOverMs), 'taken over').toBe(true);
  rmSync(world.work.hold);
  return begunBy(world)[1] ?? '';
}

async function completed({ world }: Stage): Promise<void> {
  const waited = await world.typed(['wait', 'answer', '--timeout', '120s']);
  expect(waited.exit, waited.stdout + waited.stderr).toBe(0);
  const shown = await world.shown('answer');
  expect(shown).toMatchObject({ status: 'complete', verification: 'passed', attempt: { n: 1 } });
  expect(world.work.git('show', `${shown['branch']}:answer.txt`)).toBe('42');
}

/** Nothing of the first agent is written once its host has fenced itself. */
async function fencedItself({ world, first }: Stage, execution: string): Promise<void> {
  const isFenced = () => spooled(first, execution, 'fenced') !== null;
  expect(await until(isFenced, 60_000), `fenced:\n${first.said()}`).toBe(true);
  const { at } = spooled(first, execution, 'fenced') as { readonly at: number };
  const own = world.work.wrote().filter((one) => one.execution === execution);
  expect(own.filter((one) => one.at > at)).toEqual([]);
  expect(own.some(({ what }) => what === 'done')).toBe(false);
  const isLeft = () => first.own.processes().some(({ command }) => command.includes('agent.mjs'));
  expect(await until(() => !isLeft(), 20_000)).toBe(true);
}

/** Kept where it was, named by the worker, entered by nobody again. */
async function quarantined({ first }: Stage, execution: string): Promise<TreeRecord> {
  const { directory } = spooled(first, execution, 'tree') as { readonly directory: string };
  const told = `${execution} went on elsewhere: its work tree is kept, unused, at ${directory}`;
  expect(await until(() => first.said().includes(told), 60_000), first.said()).toBe(true);
  expect(existsSync(directory)).toBe(true);
  const record = await readRecord(directory);
  expect(record).toMatchObject({ quarantinedFor: execution });
  return record as TreeRecord;
}

async function onceEach({ world }: Stage, from: string, to: string): Promise<void> {
  const made = (await world.executions()).filter(({ role }) => role === 'execute');
  expect(made).toEqual([
    { id: from, role: 'execute', attempt: 1, status: 'FAILED', class: 'transport_lost' },
    { id: to, role: 'execute', attempt: 1, status: 'SUCCEEDED', class: null },
  ]);
  expect(begunBy(world)).toEqual([from, to]);
  const done = world.work.wrote().filter(({ what }) => what === 'done');
  expect(done.map(({ execution }) => execution)).toEqual([to]);
}

const told = ({ link }: Stage, what: string, by: string = link.kind) =>
  note(['cut', what, by, 'same attempt', '1', '0', '0', 'kept, unused']);

test.concurrent('cut off: another goes on, and the first is refused on every verb when it is back (XP-3, XP-10, XP-11, D-30, D-33, D-34)', async () => {
  await onStage(namespaceLink() ?? proxyLink(), async (stage) => {
    const { world, link, first, server } = stage;
    const from = await atWork(stage);
    const claim = keptClaim(first, from);
    link.cut();
    const to = await takenOver(stage);
    const own = world.work.wrote().filter(({ execution }) => execution === from);
    const [begun] = world.work.wrote().filter(({ execution }) => execution === to);
    expect(own.at(-1)?.at).toBeLessThan(begun?.at ?? 0);
    await fencedItself(stage, from);
    await completed(stage);
    link.heal();
    const late = await sayLate(first, claim, server);
    const evidence = await world.rows<{ readonly verb: string; readonly reason: string }>(
      'select verb, reason from evidence where execution = $1',
      [from],
    );
    for (const { verb, answer } of late) {
      const name = verb.startsWith('artifact ') ? 'artifacts' : verb;
      const row = evidence.find((one) => one.verb === name);
      note(['late', verb, answer, row === undefined ? 'none' : `${row.verb}: ${row.reason}`]);
    }
    for (const { verb, answer } of late) expect([verb, answer]).not.toContain('ok');
    await completed(stage);
    await onceEach(stage, from, to);
    await quarantined(stage, from);
    told(stage, 'in both directions');
  });
});

test.concurrent.each([
  ['answers are lost, what it says arrives', 'answer'],
  ['what it says is lost', 'message'],
] as const)('half cut off, %s: the same (D-30, D-33)', async (what, lost) => {
  await onStage(proxyLink(), async (stage) => {
    const from = await atWork(stage);
    stage.link.proxy().lose(lost);
    const to = await takenOver(stage);
    await fencedItself(stage, from);
    stage.link.heal();
    await completed(stage);
    await onceEach(stage, from, to);
    await quarantined(stage, from);
    told(stage, what);
  });
});

test.concurrent('a slow network is no partition: nobody takes over (D-44)', async () => {
  await onStage(proxyLink(), async (stage) => {
    const { world, link } = stage;
    const from = await atWork(stage);
    link.proxy().slow(1_200);
    const beats = async () => {
      const [row] = await world.rows<{ readonly beat: string }>('select beat from leases');
      return Number(row?.beat ?? 0);
    };
    const before = await beats();
    // Longer than a lease lives.
    expect(await untilTold(async () => (await beats()) >= before + 8, 180_000)).toBe(true);
    rmSync(world.work.hold);
    await completed(stage);
    expect(begunBy(world)).toEqual([from]);
    expect((await world.executions()).map(({ status }) => status)).not.toContain('FAILED');
    note(['cut', 'slow, 1.2 s each way', link.kind, 'by nobody', '1', '0', '0', 'in use']);
  });
});

test.concurrent('stopped past its lease and continued: it fences itself before it asks anybody (D-30, D-43)', async () => {
  await onStage(proxyLink(), async (stage) => {
    const from = await atWork(stage);
    const frozen = stage.first.own.processes();
    for (const one of frozen) signal(one, 'SIGSTOP');
    const to = await takenOver(stage);
    await completed(stage);
    // Which of them runs first is the kernel's choice: the agent must be ended even asleep.
    const hosts = frozen.filter(({ command }) => !command.includes('agent.mjs'));
    for (const one of hosts) signal(one, 'SIGCONT');
    // A server of the same boot has ended it by its pid before it let another begin.
    if (stage.link.through.length > 0) await fencedItself(stage, from);
    await onceEach(stage, from, to);
    await quarantined(stage, from);
    told(stage, 'SIGSTOP past its lease, SIGCONT', 'signals');
  });
});
