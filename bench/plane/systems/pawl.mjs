/**
 * pawl in one process over PostgreSQL, as DBOS is: the engine and its plane, straight on the
 * database. A step is a checkpoint under a lease: the grant is checked, then an event of a hash
 * chain, the whole state of the run, its execution and the reference to the result are one commit.
 * `1 KB`: the result is put as an artifact first, on the disk before its checkpoint names it.
 */
import { createHash } from 'node:crypto';
import { loadPawl } from '../../pawl.mjs';
import { clockMs } from '../clock.mjs';
import { definition, human } from '../definition.mjs';
import { results, smallBytes, walk } from './walk.mjs';

const pawl = await loadPawl();
const holder = { worker: 'bench', bootId: 'boot', pid: process.pid, started: 1 };

/** The engine as any process of pawl composes it; `committed` hears of each commit. */
export async function openEngine({ url, home, leaseTtlMs, connectionsMax }, committed = () => {}) {
  const clock = pawl.nodeClock();
  const more = leaseTtlMs === undefined ? {} : { leaseTtlMs };
  const bound = connectionsMax === undefined ? {} : { connectionsMax };
  const store = await pawl.openPostgresStore({ url, clock, ...more, ...bound });
  const artifacts = pawl.diskArtifacts({ directory: `${home}/artifacts` });
  const own = pawl.engine({ store, artifacts, clock, ids: pawl.nodeIds() });
  const issue = async (command) => {
    const issued = await own.issue(command);
    committed(clockMs());
    return issued;
  };
  const engine = { ...own, issue };
  const absent = () => Promise.reject(new Error('not part of the bench'));
  const client = pawl.engineClient({
    engine,
    workspace: absent,
    checks: absent,
    heads: absent,
    ensureDriver: async () => {},
    lives: () => true,
    readSpool: async () => null,
    close: async () => {},
  });
  return { engine, client, artifacts };
}

/** Starts runs one after another; answers when each decision was committed. */
export async function startRuns({ client, lastCommitMs }, { count, name = 'bench' }) {
  const started = [];
  for (let n = 0; n < count; n += 1) {
    const from = clockMs();
    const request = { definition: definition(name), detached: true, resumedFrom: null, from: null };
    const { id } = await client.start(request, human);
    started.push({ run: id, from, committed: lastCommitMs() });
  }
  return started;
}

const digestOf = (text) => `sha256:${createHash('sha256').update(text).digest('hex')}`;
const expectOk = (answer) => {
  if (!answer.ok) throw new Error(answer.reason);
  return answer;
};

export async function open(options) {
  let committed = 0;
  const opened = await openEngine(options, (at) => {
    committed = at;
  });
  const { engine, artifacts } = opened;
  const plane = pawl.localPlane(engine);
  const lastCommitMs = () => committed;
  let runs = [];
  const take = async ({ run }) => {
    const execution = `${run}.1`;
    const { grantId } = expectOk(await plane.claim({ execution, holder, nonce: run }));
    const granted = { execution, grantId };
    expectOk(await plane.start({ ...granted, rung: 'none', pid: process.pid }));
    return granted;
  };
  return {
    verbs: {
      prepare: async ({ count }) => {
        const started = await startRuns({ ...opened, lastCommitMs }, { count });
        runs = await Promise.all(started.map(take));
      },
      walk: ({ forMs, bytes }) => {
        const text = results(bytes);
        const bodyOf = bytes > smallBytes ? (result) => artifacts.put(result, 'output') : digestOf;
        return walk({ runs, forMs }, async (granted, { goesOn, stepped }) => {
          while (goesOn()) {
            expectOk(await plane.checkpoint({ ...granted, body: await bodyOf(text()) }));
            stepped();
          }
        });
      },
      start: (given) => startRuns({ ...opened, lastCommitMs }, given),
    },
  };
}
