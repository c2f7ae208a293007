/**
 * Goal: a worker learns that a run which it held is over, and since when, and of others nothing; in
 * the process of the server and over HTTP alike.
 * Method: runs that end, park or go on under the hands of two workers, one of which asks.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { planePrefix } from '../../src/contract/plane.ts';
import { limits, planeWire } from '../../src/contract/plane-words.ts';
import type { RunId } from '../../src/domain/ids.ts';
import { endedRuns } from '../../src/engine/plane-ended.ts';
import { prepared, sealOf } from '../sim/bench-of-one.ts';
import { ada } from '../sim/human.ts';
import {
  claimed,
  executionOf,
  type PlaneServer,
  planeServer,
  type RemoteWorker,
  startedRun,
} from '../support/plane-server.ts';

type Ask = (runs: readonly RunId[]) => Promise<{
  readonly ended: readonly { readonly run: string; readonly forMs: number }[];
  readonly gone: readonly string[];
}>;

let server: PlaneServer;
let worker: RemoteWorker;
beforeEach(async () => {
  server = await planeServer();
  worker = await server.worker();
});
afterEach(() => server.close());

const start = { rung: 'cgroup', pid: 7 };
const passedMs = 5_000;

async function heldRun(by = worker) {
  const run = await startedRun(server);
  const { granted } = await claimed(by.plane, by.id, executionOf(run));
  await by.plane.start({ ...granted, ...start });
  return { run, granted };
}

/** A run that its worker gave back when it was cancelled in the turn of a lane. */
async function cancelledRun(by = worker, proof: 'kernel' | 'unproven' = 'kernel'): Promise<RunId> {
  const { run, granted } = await heldRun(by);
  await by.plane.result({ ...granted, seal: sealOf('a'), result: prepared });
  const turn = await claimed(by.plane, by.id, executionOf(run, 2));
  await by.plane.start({ ...turn.granted, ...start });
  await server.here.client.cancel(run, 'enough', ada);
  await by.plane.cancelAck({ ...turn.granted, proof });
  return run;
}

const statusOf = async (run: RunId) =>
  (await server.here.client.find({ text: run, project: null })).status;

const planes: readonly (readonly [string, () => Ask])[] = [
  ['in this process', () => (runs) => endedRuns(server.here.engine, worker.id, runs)],
  ['over HTTP', () => (runs) => worker.plane.ended(runs)],
];

describe.each(planes)('which runs are over, %s', (_name, open) => {
  const ask: Ask = async (runs) => {
    const { ended, gone } = await open()(runs);
    return { ended, gone };
  };

  test('an ended run that it held is told with its age, each once, however often it is asked', async () => {
    const runs = [await cancelledRun(), await cancelledRun()];
    server.here.pass(passedMs);
    const answer = await ask([...runs, ...runs]);
    expect(answer.gone).toEqual([]);
    expect(answer.ended.map(({ run }) => run)).toEqual(runs);
    expect(answer.ended.every(({ forMs }) => forMs >= passedMs)).toBe(true);
    expect(await ask([...runs, ...runs])).toEqual(answer);
  });

  test('a run that is worked on, or waits for a human, is not named', async () => {
    const { run: working } = await heldRun();
    const { run: parked, granted } = await heldRun();
    const failed = { ...prepared, baseline: 'unrunnable', setup: 'failed' } as const;
    await worker.plane.result({ ...granted, seal: sealOf('a'), result: failed });
    expect(await statusOf(parked)).toBe('needs_operator');
    server.here.pass(passedMs);
    expect(await ask([working, parked])).toEqual({ ended: [], gone: [] });
  });

  test('a run whose execution nobody could prove ended is not named', async () => {
    const run = await cancelledRun(worker, 'unproven');
    expect(await statusOf(run)).toBe('cancelled');
    expect(await ask([run])).toEqual({ ended: [], gone: [] });
  });

  test('of a run that only another held nothing is told; of none that it is gone (XP-12)', async () => {
    const run = await cancelledRun(await server.worker());
    const unknown = 'nosuchrun123' as RunId;
    expect(await ask([run, unknown])).toEqual({ ended: [], gone: [unknown] });
  });
});

test('a question that is not of the contract, too long, or of no worker is refused', async () => {
  const ask = async (message: object, token: string | null) => {
    const response = await fetch(`${server.url}${planePrefix}/ended`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify({ wire: planeWire, ...message }),
    });
    return ((await response.json()) as { readonly code?: string }).code;
  };
  const { token } = await server.tokens.worker({ worker: worker.id, bootId: 'boot-1' });
  const { granted } = await heldRun();
  const ofExecution = worker.plane.held(granted.execution)?.token ?? null;
  const tooMany = Array.from({ length: limits.endedRuns + 1 }, (_, n) => `run-${n}`);
  expect(await ask({ runs: [], since: 1 }, token)).toBe('message.invalid');
  expect(await ask({ runs: tooMany }, token)).toBe('message.invalid');
  expect(await ask({ runs: ['../..'] }, token)).toBe('message.invalid');
  expect(await ask({ runs: [] }, null)).toBe('token.missing');
  expect(await ask({ runs: [] }, ofExecution)).toBe('token.invalid');
  await server.workers.revoke(worker.id);
  expect(await ask({ runs: [] }, token)).toBe('worker.unknown');
});
