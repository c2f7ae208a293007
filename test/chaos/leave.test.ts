/**
 * Goal: what an agent on a worker asks leave for is put before a human once and answered once,
 * whether its requests and their answers are lost, late or delivered twice (RR-35, RR-47).
 * Method: a server and a worker of the built program over a real database, an agent that asks over
 * ACP and writes down what it was told, and a proxy between the two.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Machine, openWorld, type Server, untilTold, type World } from '../partition/world.ts';
import { type AskingAgent, askingAgent } from '../support/asking-agent.ts';
import { emptyStore, type PostgresServer, startPostgres } from '../support/postgres.ts';
import { waitMs } from './stage.ts';
import { note } from './table.ts';
import { type Wire, wayTo } from './wires.ts';

let postgres: PostgresServer;
beforeAll(async () => {
  postgres = await startPostgres();
}, 120_000);
afterAll(() => postgres.stop());

/** The folder of its agent lies in its own root, which is its folder for what is temporary. */
const withAgent = ['sh', '-c', 'PATH="$TMPDIR/agent:$PATH" exec "$@"', 'sh'];

const wires: readonly Wire[] = ['dropped', 'delayed', 'doubled'];

test.each(wires)(
  'a request for leave that is %s: asked once, told once (RR-35, RR-47)',
  async (wire) => {
    const agents: AskingAgent[] = [];
    const world = await openWorld(await emptyStore(postgres.url), (name, root) => {
      if (name === 'ada') agents.push(askingAgent(root));
    });
    const server = await world.server();
    const way = await wayTo(server.url, wire);
    try {
      const worker = await world.worker('ada', way.url, { through: withAgent });
      way.begin();
      const [agent] = agents;
      if (agent === undefined) throw new Error('the worker has no agent');
      await asksOnce(world, server, { agent, wire, worker });
      expect(way.harmed(), 'the fault was there').toBeGreaterThan(0);
    } finally {
      await world.close();
      await way.close();
    }
  },
);

interface Asking {
  readonly agent: AskingAgent;
  readonly wire: Wire;
  readonly worker: Machine;
}

async function asksOnce(
  world: World,
  server: Server,
  { agent, wire, worker }: Asking,
): Promise<void> {
  const flags = ['--agent', 'qwen', '--permissions', 'ask', '--check', 'test -f answer'];
  // Who starts it has that agent, too; there it is only looked for.
  const { folder } = askingAgent(server.own.root);
  const options = {
    cwd: world.work.directory,
    env: { PAWL_SERVER: server.url, PATH: `${folder}:${server.own.env['PATH']}` },
  };
  const started = await server.own.run(['run', 'Push', '--name', 'one', ...flags, '-d'], options);
  expect(started.exit, started.stdout + started.stderr).toBe(0);
  const from = performance.now();
  const isAsked = async () => (await world.shown('one'))['status'] === 'waiting_human';
  expect(await untilTold(isAsked, waitMs), 'a human is asked').toBe(true);
  const trueAfterS = (performance.now() - from) / 1_000;
  const approved = await server.own.onTerminal(['approve', 'one', '--yes'], options);
  expect(approved.exit, approved.stdout).toBe(0);
  const waiting = ['wait', 'one', '--timeout', '230s'];
  const waited = await server.own.run(waiting, { ...options, timeoutMs: waitMs });
  expect(waited.exit, waited.stdout + waited.stderr).toBe(0);
  const afterS = (performance.now() - from) / 1_000;
  const shown = await world.shown('one');
  expect(shown).toMatchObject({ status: 'complete', attempt: { n: 1 } });
  const told = agent.log().map((line) => line.split(' ')[0]);
  const requests = await world.rows<{ readonly id: string }>('select id from approvals');
  const doubled = Math.max(told.length - 2, requests.length - 1);
  const row = { shown: 'waiting_human', trueAfterS, end: 'recovered', afterS };
  note({ fault: `a request for leave is ${wire}`, ...row, attempts: 1, doubled, lost: 0 });
  expect(told, worker.said()).toEqual(['asked', 'allow']);
  expect(requests).toHaveLength(1);
}
