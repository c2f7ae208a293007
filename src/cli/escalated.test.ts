/**
 * Goal: a run whose recoveries are spent stops, and its page and its JSON name what is stuck, of
 * which class, what was tried and why each of it failed, and what a human can do.
 * Method: one engine over a store in memory whose lanes die; the page is drawn from its events.
 */
import { expect, test } from 'vitest';
import {
  bench,
  commit,
  executed,
  plainDefinition,
  prepared,
  work,
} from '../../test/sim/bench-of-one.ts';
import { ada } from '../../test/sim/human.ts';
import { noneShared } from '../../test/support/example-pages.ts';
import { verified } from '../../test/support/run-fixtures.ts';
import type { JobResult } from '../domain/execution/state.ts';
import { driverPrincipal, runCommand } from '../engine/command.ts';
import { escalationOf } from '../ports/escalation.ts';
import { noStory, tell } from '../ports/story.ts';
import { escalationLines } from './views/escalation.ts';
import { groupRuns } from './views/status.ts';

const start = { definition: plainDefinition, detached: true, resumedFrom: null, from: null };
const died = (detail: string): JobResult => ({
  kind: 'failed',
  class: 'lane_died',
  detail,
  proof: 'kernel',
  commit: null,
  usage: null,
  text: null,
});

async function exhausted() {
  const here = bench();
  const { id } = await here.client.start(start, ada);
  await work(here, id, prepared);
  const executions: string[] = [];
  for (const detail of ['exit 137', 'exit 139', 'exit 134']) {
    here.pass(60_000);
    executions.push((await work(here, id, died(detail))).execution);
  }
  const view = await here.client.find({ text: id, project: null });
  const story = tell(noStory, await here.client.events(id, 0, 1_000));
  return { here, view, story, executions };
}

test('recoveries spent: the run needs its operator, and nothing of it runs any more (RR-31)', async () => {
  const { here, view } = await exhausted();
  expect(view).toMatchObject({ status: 'needs_operator', reason: 'recovery_exhausted' });
  expect(view.phase).toBeNull();
  expect(view.execution).toBeNull();
  expect(await here.engine.store.openExecutions()).toEqual([]);
  const timers = await here.engine.store.timersOf(view.id);
  expect(timers.map(({ kind }) => kind)).toEqual(['escalation']);
  const groups = groupRuns([view]);
  expect([groups.needsYou.length, groups.running.length]).toEqual([1, 0]);
  here.pass(24 * 3_600_000);
  expect((await here.client.find({ text: view.id, project: null })).version).toBe(view.version);
});

test('the artifact names job, class, each recovery and why it failed, and the ways on (RR-32)', async () => {
  const { view, story, executions } = await exhausted();
  const [first, second, third] = executions;
  const json = escalationOf(view, story, { text: null, printed: [] });
  expect(json).toMatchObject({
    disposition: 'escalated',
    reason: 'recovery_exhausted',
    class: 'lane_died',
    job: { role: 'execute', attempt: 1, execution: third },
  });
  const why = (execution: string | undefined, detail: string) => ({
    execution,
    class: 'lane_died',
    detail,
  });
  expect(json.recoveries).toMatchObject([
    { ...why(first, 'exit 137'), action: 'requeue', failed: why(second, 'exit 139') },
    { ...why(second, 'exit 139'), action: 'requeue', failed: why(third, 'exit 134') },
    { ...why(third, 'exit 134'), action: 'give_up', failed: null },
  ]);
  const commands = view.options.map(({ command }) => command);
  const { short } = view;
  expect(commands[0]).toBe(`pawl resume ${short} --fresh`);
  expect(commands).toEqual(
    expect.arrayContaining([`pawl resume ${short}`, `pawl cancel ${short}`]),
  );
});

async function atVerification() {
  const here = bench();
  const { id } = await here.client.start(start, ada);
  await work(here, id, prepared);
  await work(here, id, executed);
  return { here, id };
}

/** A judge that dies whenever it is asked. */
async function unjudged() {
  const { here, id } = await atVerification();
  const summary = 'good? · verifier unavailable: the judge did not come to an end (SIGKILL)';
  const died = verified({ outcome: 'verifier_unavailable', commit, summary });
  for (let n = 0; n < 3; n += 1) {
    await work(here, id, died);
    here.pass(600_000);
    const due = await here.engine.store.timersDue(here.engine.clock.now(), 10);
    for (const { run, kind, generation } of due.filter((timer) => timer.kind === 'wait')) {
      const fire = { type: 'fire_timer', kind, generation } as const;
      await here.engine.issue(runCommand(run, driverPrincipal, here.engine.clock.now(), fire));
    }
  }
  const view = await here.client.find({ text: id, project: null });
  return { view, story: tell(noStory, await here.client.events(id, 0, 1_000)) };
}

const pageOf = ({ view, story }: Pick<Awaited<ReturnType<typeof unjudged>>, 'view' | 'story'>) =>
  escalationLines({
    view,
    definition: plainDefinition,
    story,
    now: view.updatedAt,
    at: () => '04:12',
    text: null,
    same: noneShared,
    printed: [],
    counted: { total: null, baselineFailed: null },
    called: 'pawl',
    columns: 160,
  }).join('\n');

test('a verifier that says nothing clear: each time that it was asked stands on the page (RR-32)', async () => {
  const parked = await unjudged();
  const { view, story } = parked;
  expect(view).toMatchObject({ status: 'needs_operator', reason: 'verifier_unavailable' });
  expect(view.attempts).toEqual([]);
  const { recoveries } = escalationOf(view, story, { text: null, printed: [] });
  expect(recoveries).toMatchObject([
    { class: 'verifier_unavailable', action: 'verify_again', outcome: 'failed' },
    { class: 'verifier_unavailable', action: 'verify_again', outcome: 'failed' },
    { class: 'verifier_unavailable', action: 'give_up', outcome: 'none' },
  ]);
  const page = pageOf(parked);
  expect(page).toContain('attempt 1: verifier unavailable → verify again, failed');
  expect(page.match(/SIGKILL/g)).toHaveLength(1);
});

test('a verifier that was asked twice and not understood: the second time was the end of it', async () => {
  const { here, id } = await atVerification();
  const rambled = verified({ outcome: 'unparseable', commit, summary: 'no JSON' });
  for (let n = 0; n < 2; n += 1) await work(here, id, rambled);
  const view = await here.client.find({ text: id, project: null });
  expect(view.attempts).toHaveLength(1);
  const story = tell(noStory, await here.client.events(id, 0, 1_000));
  expect(escalationOf(view, story, { text: null, printed: [] }).recoveries).toMatchObject([
    { class: 'unparseable', action: 'verify_again', outcome: 'failed' },
    { class: 'unparseable', action: 'give_up', outcome: 'none' },
  ]);
});

test('the page of it says the same (RR-32)', async () => {
  const { view, story, executions } = await exhausted();
  const page = pageOf({ view, story });
  expect(page).toContain(`job: execute, attempt 1, execution ${executions[2]}, lane died`);
  expect(page).toContain('attempt 1: lane died → requeue (exit 137), failed: lane died');
  expect(page).toContain('attempt 1: lane died → give up (exit 134)');
  expect(page).toMatch(/1 a new tree from the last snapshot.*pawl resume \w+ --fresh/);
  expect(page).toMatch(/taken over by a new execution.*pawl resume \w+\n/);
  expect(page).toMatch(/end it, keep the branch +pawl cancel/);
});
