/**
 * pawl's step: one command of a running execution, decided by the engine's own composition of the
 * deciders, and committed alone: event with hash chain, row of the run (its whole state), row of
 * the execution. `many` has 100 runs at once, whose commands share transactions.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { loadPawl } from '../pawl.mjs';
import { brakes, human } from '../plane/definition.mjs';

const { composeDecide, openConnection, sqliteBinding, sqliteStore } = await loadPawl();

const clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  sleep: (ms) => pause(ms),
};
const holder = { worker: 'bench', bootId: 'boot', pid: 1, started: 1 };
const digest = (digit) => `sha256:${digit.repeat(64)}`;
const grantId = 'a'.repeat(32);

const terms = {
  steps: [{ kind: 'checks', from: 0, to: 1 }],
  brakes: { ...brakes, attempts: 5, costUsd: 20 },
  baseline: 'auto',
  allowNoChange: false,
  onProtected: 'park',
  onLimit: 'wait',
  approvalsExpireMs: null,
  recovery: { requeues: 2, transfers: 3 },
  maker: 'fixer@command',
  checker: null,
  checkTimeMs: 600_000,
  detached: true,
  git: true,
};

function runCommands(run) {
  const envelope = () => ({ run, at: clock.now(), actor: 'bench', principal: human });
  const execution = `${run}.1`;
  const ofExecution = (command) => ({
    ...envelope(),
    kind: 'execution',
    execution,
    command: { ...command, at: clock.now() },
  });
  return {
    start: () => ({
      ...envelope(),
      kind: 'run',
      command: {
        type: 'start',
        at: clock.now(),
        principal: human,
        run,
        name: run,
        project: '/home/me/src/project',
        definition: digest('d'),
        terms,
        resumedFrom: null,
        from: null,
      },
    }),
    cancel: () => ({
      ...envelope(),
      kind: 'run',
      command: { type: 'cancel', note: 'enough', at: clock.now(), principal: human },
    }),
    claim: () => ofExecution({ type: 'claim', grantId, nonce: 'n', fence: 1, holder }),
    begin: () => ofExecution({ type: 'start', grantId, rung: 'subreaper', pid: 1 }),
    step: (n) => ofExecution({ type: 'checkpoint', grantId, body: digest((n % 16).toString(16)) }),
  };
}

export async function open(directory) {
  const store = await sqliteStore({ directory, clock });
  const send = async (command) => {
    const [settled] = await store.transact([command], composeDecide);
    if (settled.kind !== 'committed') throw new Error(`not committed: ${JSON.stringify(settled)}`);
    return settled;
  };
  const file = join(directory, 'store.db');
  let pinned = null;
  return {
    begin: async (run) => {
      const commands = runCommands(run);
      await send(commands.start());
      await send(commands.claim());
      await send(commands.begin());
      return commands;
    },
    end: async (run) => {
      const commands = runCommands(run);
      await send(commands.start());
      await send(commands.cancel());
    },
    step: (commands, n) => send(commands.step(n)),
    /** The run, its execution and its lease: what a host needs to take the next step. */
    reenter: async (run) => {
      const loaded = await store.loadRun(run);
      const execution = await store.execution(`${run}.1`);
      if (loaded === null || execution === null) throw new Error('the run is not there');
    },
    pin: async () => {
      pinned = openConnection(sqliteBinding(), file);
      pinned.exec('begin; select count(*) from events');
    },
    sizes: async () => {
      const reader = openConnection(sqliteBinding(), file);
      const stored = Number(reader.pragma('page_count')) * 4096;
      reader.close();
      return { stored, log: pinned === null ? 0 : statSync(`${file}-wal`).size };
    },
  };
}
