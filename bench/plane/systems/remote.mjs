/**
 * A worker of pawl elsewhere: everything through the plane's HTTP, as with Restate. Claims what it
 * is offered by a long poll; a step is a checkpoint, whose result is an artifact on the server.
 */
import { createPrivateKey } from 'node:crypto';
import { loadPawl } from '../../pawl.mjs';
import { clockMs } from '../clock.mjs';
import { results, smallBytes, walk } from './walk.mjs';

const pawl = await loadPawl();
const roles = ['prepare', 'execute', 'verify', 'judge'].map((role) => `role:${role}`);
const capabilities = [...roles, 'agent:command', 'git'];
const bootId = 'boot';
const slots = 1024;
const started = { rung: 'none', pid: process.pid };
const bodiesKept = 16;
const offersMax = 32;

const expectOk = (answer) => {
  if (!answer.ok) throw new Error(answer.reason ?? answer.code);
  return answer;
};

/** `known`: who it was before; it is the same worker in a new process. */
async function enrolled({ url, code, known }) {
  const clock = pawl.nodeClock();
  const caller = pawl.planeCaller({ servers: [url], clock, ids: pawl.nodeIds() });
  const key =
    known === undefined
      ? pawl.newWorkerKey()
      : pawl.workerKeyOf(createPrivateKey({ key: known.key, format: 'jwk' }));
  const asked = { code, name: 'bench', labels: [], slots };
  const { worker } = known ?? (await pawl.enrol(caller, key, asked));
  const session = pawl.workerSession({ caller, clock, worker, bootId, key });
  const facts = { worker, key: key.privateKey.export({ format: 'jwk' }) };
  const seals = pawl.sealAttestor({ ...pawl.signerOf(key.privateKey), worker }, clock);
  return { worker, facts, plane: pawl.httpPlane({ caller, session, seals }) };
}

export async function open(options, tell) {
  const { worker, facts, plane } = await enrolled(options);
  const holder = { worker, bootId, pid: process.pid, started: 1 };
  const claim = async (execution) => {
    const answer = expectOk(await plane.claim({ execution, holder, nonce: execution }));
    return { execution, grantId: answer.grantId, run: answer.dispatch.run };
  };
  /** What is offered, until so many are held; when each offer came and its claim was answered. */
  const take = async ({ count, waitMs = 20_000 }) => {
    const taken = [];
    while (taken.length < count) {
      const free = Math.min(offersMax, count - taken.length);
      const offers = await plane.offer({ labels: [], capabilities, slots, free, waitMs });
      const offered = clockMs();
      const claims = offers.map(async ({ execution }) => {
        const granted = await claim(execution);
        taken.push({ ...granted, offered, claimed: clockMs() });
      });
      await Promise.all(claims);
    }
    return taken;
  };
  const around = { plane, take, tell, witness: options.witness };
  return { facts, verbs: { take, ...walking(around), ...holding(around) } };
}

const granted = ({ execution, grantId }) => ({ execution, grantId });

function walking({ plane, take }) {
  let held = [];
  let bodies = [];
  const put = (one, text) => plane.artifacts(granted(one)).put(text, 'output');
  return {
    prepare: async ({ count }) => {
      held = await take({ count });
      for (const one of held) expectOk(await plane.start({ ...granted(one), ...started }));
      const texts = Array.from({ length: bodiesKept }, (_, n) => `result ${n}`);
      bodies = await Promise.all(texts.map((text) => put(held[0], text)));
    },
    walk: ({ forMs, bytes }) => {
      const text = results(bytes);
      const bodyOf = (one, n) => (bytes > smallBytes ? put(one, text()) : bodies[n % bodiesKept]);
      return walk({ runs: held, forMs }, async (one, { goesOn, stepped }) => {
        for (let n = 0; goesOn(); n += 1) {
          expectOk(await plane.checkpoint({ ...granted(one), body: await bodyOf(one, n) }));
          stepped();
        }
      });
    },
  };
}

const prepared = {
  ...{ kind: 'prepared', baseline: 'red', setup: 'none', summary: '1 failed of 1' },
  ...{ receipt: null, detail: null },
};

function holding({ plane, take, tell, witness }) {
  const begin = async (one) => expectOk(await plane.start({ ...granted(one), ...started }));
  const effect = (key) => fetch(witness, { method: 'POST', body: key });
  const reserve = async (one) => {
    const body = await plane.artifacts(granted(one)).put(`reserved ${one.run}`, 'output');
    expectOk(await plane.checkpoint({ ...granted(one), body }));
  };
  const beats = (taken, beatMs) => {
    let beat = 0;
    const all = async () => {
      beat += 1;
      const at = clockMs();
      const message = { beat, signals: '{}', usage: null };
      await Promise.all(taken.map((one) => plane.heartbeat({ ...granted(one), ...message })));
      tell({ beat: at });
    };
    setInterval(() => all().catch((error) => tell({ trouble: String(error) })), beatMs);
    return all();
  };
  const seal = async (one, result) => {
    const digest = await plane.artifacts(granted(one)).put(JSON.stringify(result), 'journal');
    expectOk(await plane.result({ ...granted(one), seal: digest, result }));
  };
  return {
    /** Holds lanes whose effects are made and not recorded; beats until it is killed. */
    hold: async ({ count, beatMs, reserved }) => {
      for (const one of await take({ count })) {
        await begin(one);
        await seal(one, prepared);
      }
      const taken = await take({ count });
      for (const one of taken) {
        await begin(one);
        if (reserved) await reserve(one);
        await effect(one.run);
      }
      await beats(taken, beatMs);
    },
    /** The step again, as a lane is run again. */
    again: async (one) => {
      await begin(one);
      await effect(one.run);
    },
    /** Nobody can prove whether the effect was made: it is said, not made again. */
    unknown: async (one) => {
      await begin(one);
      await seal(one, {
        kind: 'failed',
        class: 'unknown_outcome',
        detail: 'reserved by an earlier execution, never recorded',
        ...{ proof: 'unproven', commit: null, usage: null, text: null },
      });
    },
  };
}
