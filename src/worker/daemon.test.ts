import { expect, test } from 'vitest';
import { nodeClock } from '../host/clock.ts';
import { RequestError } from '../kernel/errors.ts';
import type { ExecutionId } from '../ports/words.ts';
import { type WorkerHosts, workerDaemon } from './daemon.ts';

const spans = { pollMs: 5, pauseMs: 1, failedPauseMs: 1, drainMs: 20, handOverMs: 20 };
const offerOf = (execution: string) => ({
  execution,
  run: 'run1',
  role: 'execute' as const,
  attempt: 1,
  capabilities: [],
});

/** Hosts that live until they are stopped, or told to end. */
function rig(offers: readonly (readonly string[] | Error)[], slots = 2) {
  const living = new Set<ExecutionId>();
  const started: ExecutionId[] = [];
  const stopped: ExecutionId[] = [];
  const frees: number[] = [];
  const log: string[] = [];
  const left = [...offers];
  const ending = new AbortController();
  let settled = 0;
  const hosts: WorkerHosts = {
    start: async (execution) => {
      started.push(execution);
      living.add(execution);
    },
    living: () => [...living],
    settle: async () => {
      settled += 1;
      return true;
    },
    stop: (execution) => {
      stopped.push(execution);
      living.delete(execution);
    },
  };
  const plane = {
    offer: async ({ free }: { readonly free: number }) => {
      frees.push(free);
      const next = left.shift();
      if (left.length === 0) ending.abort();
      if (next instanceof Error) throw next;
      return (next ?? []).map(offerOf);
    },
  };
  const running = () =>
    workerDaemon(
      {
        ...{ plane, hosts, clock: nodeClock(), slots, labels: [], capabilities: ['git'] },
        log: (line) => log.push(line),
        spans,
      },
      ending.signal,
    );
  return { running, living, started, stopped, frees, log, ending, settled: () => settled };
}

test('takes no more than its free slots, and each execution once', async () => {
  const r = rig([['run1.1'], ['run1.1', 'run1.2', 'run1.3'], []]);
  const over = r.running();
  // Two run, so it asks no more until one of them is gone.
  while (r.started.length < 2) await new Promise((done) => setImmediate(done));
  expect(r.started).toEqual(['run1.1', 'run1.2']);
  expect(r.frees).toEqual([2, 1]);
  r.living.clear();
  await over;
  expect(r.frees).toEqual([2, 1, 2]);
});

test('a server that does not answer ends nothing', async () => {
  const r = rig([new Error('no answer'), ['run1.1'], []]);
  const over = r.running();
  await over;
  expect(r.started).toEqual(['run1.1']);
  expect(r.log).toContain('offer: no answer');
});

test('asked to end it waits a while, then hands over what still runs, bounded (D-46)', async () => {
  const r = rig([['run1.1'], []]);
  await r.running();
  expect(r.stopped).toEqual(['run1.1']);
  expect(r.settled()).toBeGreaterThan(0);
});

test('who is not known any more ends what runs here, asks nothing more and says why', async () => {
  const revoked = new RequestError('not_enrolled', 'the server does not know this worker');
  const here = rig([['a.1'], revoked, [], []]);
  await expect(here.running()).rejects.toBe(revoked);
  expect(here.frees).toEqual([2, 1]);
  expect([here.stopped, [...here.living]]).toEqual([['a.1'], []]);
  expect(here.log.join()).toContain('does not know this worker');
});
