/** Goal: what is committed is told once, by one way, and no listener can break another or a run. */
import { afterEach, expect, test } from 'vitest';
import { bench, executed, plainDefinition, prepared, work } from '../../test/sim/bench-of-one.ts';
import { ada } from '../../test/sim/human.ts';
import type { RunId } from '../domain/ids.ts';
import { type JobBoard, openJobBoard, type TerminalJob } from './job-board.ts';

const boards: JobBoard[] = [];
afterEach(async () => {
  for (const board of boards.splice(0)) await board.close();
});
const start = { definition: plainDefinition, detached: true, resumedFrom: null, from: null };

/** Calls by run, in order, and a promise of the first that matches. */
function listening(here: ReturnType<typeof bench>, breaks = false) {
  const told: string[] = [];
  const failures: string[] = [];
  const waiting: { readonly text: string; readonly found: () => void }[] = [];
  const say = (text: string): void => {
    told.push(text);
    for (const one of waiting.filter((each) => each.text === text)) one.found();
    if (breaks) throw new Error('a listener of somebody');
  };
  const board = openJobBoard(here.client, {
    callbacks: {
      onLoopComplete: (run, success) => say(`complete ${run} ${success}`),
      onEscalated: async (run, reason) => say(`escalated ${run} ${reason}`),
      onManualReview: (run, reason) => say(`review ${run} ${reason}`),
      onArtifactWrite: (run, path) => say(`artifact ${run} ${path}`),
    },
    onFailure: (what, error) => failures.push(`${what}: ${String(error)}`),
  });
  boards.push(board);
  const until = (text: string): Promise<void> =>
    told.includes(text) ? Promise.resolve() : new Promise((found) => waiting.push({ text, found }));
  return { board, told, failures, until };
}

async function drawn(here: ReturnType<typeof bench>, run: RunId): Promise<void> {
  await work(here, run, prepared);
  const payload = JSON.stringify({ subject: [{ name: 'a.png' }, { name: 'b.png' }] });
  const envelope = JSON.stringify({ payload: Buffer.from(payload).toString('base64') });
  const statement = await here.engine.artifacts.put(envelope, 'attestation');
  const files = [{ path: 'a.png', sha256: '0', bytes: 1 }];
  const artifacts = { statement, files, more: 1, missing: [], refused: [] };
  const text = await here.engine.artifacts.put('which?', 'question');
  await work(here, run, { ...executed, outcome: 'question', commit: null, text, artifacts });
}

test('files, an escalation and a cancel are told in their order, each once (EV-35)', async () => {
  const here = bench();
  const { id } = await here.client.start(start, ada);
  const { board, told, until } = listening(here);
  board.follow(id);
  await drawn(here, id);
  const escalated = `escalated ${id} blocked_by_question: The agent asks a question.`;
  await until(escalated);
  await here.client.cancel(id, 'enough', ada);
  await until(`complete ${id} false`);
  expect(told).toEqual([
    `artifact ${id} a.png`,
    `artifact ${id} b.png`,
    escalated,
    `complete ${id} false`,
  ]);
});

test('a look that is waited for is told with what to look at, and a taken run is a success (EV-35, EV-45)', async () => {
  const here = bench();
  const criteria = [{ kind: 'manual', look: 'the calendar', timeoutMs: 1 }] as const;
  const definition = { ...plainDefinition, criteria };
  const { id } = await here.client.start({ ...start, definition }, ada);
  const { board, until } = listening(here);
  board.follow(id);
  await work(here, id, prepared);
  await work(here, id, executed);
  await until(`review ${id} the calendar`);
  const answer = { approval: null, outcome: 'approved', note: null } as const;
  await here.client.resolveGate(id, answer, ada);
  await until(`complete ${id} true`);
});

test('each end of a job comes through one handler to every listener that is there (EV-14, EV-41)', async () => {
  const here = bench();
  const { id } = await here.client.start(start, ada);
  const { board, until } = listening(here);
  const seen: Record<string, TerminalJob[]> = { first: [], second: [], removed: [] };
  const listener = (name: string) => (job: TerminalJob) => void seen[name]?.push(job);
  const removed = listener('removed');
  const first = listener('first');
  for (const one of [first, first, listener('second'), removed]) {
    board.addTerminalStateListener(one);
  }
  board.removeTerminalStateListener(removed);
  await drawn(here, id);
  await here.client.cancel(id, 'enough', ada);
  board.follow(id);
  await until(`complete ${id} false`);
  const jobs = [
    { loopID: id, jobID: `${id}.1`, state: 'completed' },
    { loopID: id, jobID: `${id}.2`, state: 'completed' },
  ];
  expect(seen).toEqual({ first: jobs, second: jobs, removed: [] });
});

test('a listener that throws or rejects breaks no other and no run, and is told (EV-14)', async () => {
  const here = bench();
  const { id } = await here.client.start(start, ada);
  const { board, told, failures, until } = listening(here, true);
  const jobs: string[] = [];
  board.addTerminalStateListener(() => {
    throw new Error('the first');
  });
  board.addTerminalStateListener(({ jobID }) => void jobs.push(jobID));
  board.follow(id);
  await drawn(here, id);
  await until(`escalated ${id} blocked_by_question: The agent asks a question.`);
  await here.client.cancel(id, 'enough', ada);
  await until(`complete ${id} false`);
  await board.close();
  expect(jobs).toEqual([`${id}.1`, `${id}.2`]);
  expect(told).toHaveLength(4);
  expect(failures.filter((one) => one.includes('the first'))).toHaveLength(2);
  expect(failures.some((one) => one.startsWith('onEscalated: Error: a listener'))).toBe(true);
});

test('a record that cannot be read is told, and read when it can be; closed, nobody is called', async () => {
  const here = bench();
  const { id } = await here.client.start(start, ada);
  let refused = 0;
  const failures: string[] = [];
  const completed: RunId[] = [];
  let found = (): void => {};
  const done = new Promise<void>((resolve) => {
    found = resolve;
  });
  const client = {
    ...here.client,
    events: (...asked: Parameters<typeof here.client.events>) => {
      refused += 1;
      return refused === 1 ? Promise.reject(new Error('busy')) : here.client.events(...asked);
    },
  };
  const board = openJobBoard(client, {
    callbacks: {
      onLoopComplete: (run) => {
        completed.push(run);
        found();
      },
    },
    onFailure: (what, error) => failures.push(`${what}: ${String(error)}`),
  });
  await here.client.cancel(id, 'enough', ada);
  board.follow(id);
  await done;
  expect(failures).toEqual([`the record of ${id}: Error: busy`]);
  await board.close();
  expect(completed).toEqual([id]);
});
