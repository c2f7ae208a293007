/** A server of pawl: driver, plane and events over one engine, composed as `pawl serve` does. */
import { randomBytes } from 'node:crypto';
import { loadPawl } from '../../pawl.mjs';
import { openEngine, startRuns } from './pawl.mjs';

const pawl = await loadPawl();
const elsewhere = {
  elsewhere: true,
  start: async () => {},
  ensureCheckHost: async () => {},
  look: async () => ({ state: 'elsewhere' }),
  end: async () => ({ strength: 'unproven', rung: 'none', gaps: [] }),
  forget: async () => {},
};

export async function open(options) {
  let committed = 0;
  const opened = await openEngine(options, (at) => {
    committed = at;
  });
  const { engine, client } = opened;
  const ttlMs = options.leaseTtlMs ?? 30_000;
  const workers = pawl.planeWorkers(engine);
  const routes = pawl.planeRoutes({
    ...{ engine, workers, ttlMs },
    plane: pawl.localPlane(engine, { ttlMs, version: 'bench' }),
    seals: pawl.sealJudge,
    tokens: pawl.planeTokens({ clock: engine.clock, keys: workers, nonce: engine.ids.nonce }),
    refusals: pawl.refusalLog(engine),
    tail: pawl.eventTail(),
    log: () => {},
    credentials: async () => ({}),
  });
  const server = await pawl.httpServer({
    listen: { host: '127.0.0.1', port: 0 },
    ...{
      tls: null,
      names: [],
      routes: [routes],
      onBug: (error) => process.stderr.write(`${error}\n`),
    },
  });
  const identity = { worker: 'server', bootId: 'boot', pid: process.pid, started: 1 };
  const driving = pawl.driver({
    ...{ engine, lanes: elsewhere, worker: 'server', version: 'bench', stay: true },
    processes: { self: () => identity, lives: () => true },
  });
  driving.run(new AbortController().signal).catch((error) => {
    process.stderr.write(`driver: ${error}\n`);
    process.exit(1);
  });
  const lastCommitMs = () => committed;
  return {
    facts: { url: server.url },
    verbs: {
      code: async () => {
        const code = randomBytes(12).toString('hex');
        const expiresAt = engine.clock.now() + 60_000;
        await workers.addCode({ digest: pawl.codeDigest(code), expiresAt });
        return code;
      },
      start: (given) => startRuns({ client, lastCommitMs }, given),
      events: async ({ run }) =>
        (await client.events(run, 0, 1_000)).map(({ event }) => ({ ...event })),
      find: async ({ run }) => {
        return JSON.parse(JSON.stringify(await client.find({ text: run, project: null })));
      },
    },
  };
}
