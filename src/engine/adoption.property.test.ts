/**
 * Goal: X7 holds whatever comes late, however often and from whom.
 * Method: arbitrary work, losses and late seals against the composed machines; every adoption that
 * comes of it is held against the whole stream before it.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { grantId, holder } from '../../test/support/execution-fixtures.ts';
import {
  command,
  digest,
  executed,
  execution,
  operator,
  prepared,
  resume,
  start,
  verified,
} from '../../test/support/run-fixtures.ts';
import type { ExecutionCommand } from '../domain/execution/message.ts';
import type { ExecutionRole, JobResult } from '../domain/execution/state.ts';
import type { ExecutionId, Fence, Instant } from '../domain/ids.ts';
import type { RunAggregate, StreamEvent } from '../domain/run/aggregate.ts';
import { openExecution } from '../domain/run/evolve.ts';
import type { RunCommand } from '../domain/run/message.ts';
import { invariant as must } from '../kernel/invariant.ts';
import { driverPrincipal, type EngineCommand } from './command.ts';
import { composeDecide } from './compose.ts';
import { emptyAggregate, foldEvolve, isExecutionEvent } from './fold.ts';
import { runOf } from './run-of.ts';

const numRuns = Number(process.env['PROPERTY_RUNS'] ?? 1_000);
const run = runOf(execution(1));
const actions = fc.array(
  fc.record({
    what: fc.constantFrom('work', 'claim', 'lose', 'lose', 'late', 'late', 'lie', 'resume'),
    back: fc.nat(4),
    seal: fc.constantFrom('s1', 's2'),
    outcome: fc.constantFrom('turn_ended', 'turn_ended', 'question', 'limit', 'invalid_result'),
  }),
  { maxLength: 60, size: 'max' },
);
type Action = typeof actions extends fc.Arbitrary<(infer A)[]> ? A : never;

/** Two late results of one attempt: chance alone does not always come upon them. */
const twiceInAnAttempt: Action[] = (
  ['work', 'lose', 'late', 'resume', 'lose', 'late'] as const
).map((what, at) => ({ what, back: 1, seal: 's1', outcome: at < 3 ? 'question' : 'turn_ended' }));

interface World {
  aggregate: RunAggregate;
  readonly events: StreamEvent[];
}

function tell(world: World, told: EngineCommand): void {
  const decided = composeDecide(world.aggregate, told);
  if (!decided.ok) return;
  world.events.push(...decided.value.events);
  world.aggregate = decided.value.next;
}

const ofRun = (said: RunCommand): EngineCommand => {
  const { at, principal } = said;
  return { kind: 'run', run, at, actor: principal.actor, principal, command: said };
};
const ofExecution = (id: ExecutionId, said: ExecutionCommand, isLate = false): EngineCommand => {
  const { at } = said;
  const issuer = { actor: driverPrincipal.actor, principal: driverPrincipal };
  return { kind: 'execution', run, execution: id, at, ...issuer, command: said, isLate };
};

const now = { at: 1_000 as Instant };
const grantOf = (id: ExecutionId) => grantId(`grant of ${id}`);

function resultOf(role: ExecutionRole, outcome: Action['outcome']): JobResult {
  if (role === 'prepare') return prepared();
  return role === 'execute' ? executed({ outcome }) : verified({ outcome: 'failed' });
}

function act(world: World, action: Action): void {
  const state = world.aggregate.run;
  if (state.status === 'unborn') return;
  if (action.what === 'resume') goOn(world);
  else if (action.what === 'late' || action.what === 'lie') {
    sayLate(world, state.counters.executions, action);
  } else workOn(world, openExecution(state), action);
}

/** Whatever it waits for: a question is answered, a park is lifted. */
function goOn(world: World): void {
  const answer = command({ type: 'answer', text: digest('answer') }, 1_000);
  tell(world, ofRun({ ...answer, principal: operator }));
  tell(world, ofRun({ ...resume(), principal: operator }));
}

function sayLate(world: World, newest: number, { what, back, seal, outcome }: Action): void {
  const id = execution(Math.max(1, newest - back));
  const result = what === 'lie' ? verified() : executed({ outcome });
  const said = { type: 'result', grantId: grantOf(id), seal: digest(seal), result } as const;
  tell(world, ofExecution(id, { ...said, ...now }, true));
}

function workOn(world: World, awaited: ExecutionId | null, { what, outcome }: Action): void {
  const found = world.aggregate.executions.find(({ id }) => id === awaited);
  if (found === undefined) return;
  const { id, job } = found;
  const claim = { type: 'claim', grantId: grantOf(id), nonce: id, fence: 0 as Fence } as const;
  tell(world, ofExecution(id, { ...claim, holder, ...now }));
  if (what === 'lose') {
    const lost = { type: 'lose', class: 'transport_lost', proof: 'kernel', detail: '' } as const;
    tell(world, ofExecution(id, { ...lost, ...now }));
  }
  if (what !== 'work') return;
  const result = resultOf(job.role, outcome);
  const said = { type: 'result', grantId: grantOf(id), seal: digest('work'), result } as const;
  tell(world, ofExecution(id, { ...said, ...now }));
}

/** What the stream says of every execution before the place where one adopts. */
function judge(events: readonly StreamEvent[]): number {
  const adoptedIn: number[] = [];
  for (const [at, event] of events.entries()) {
    if (event.type !== 'execution.succeeded' || event.adopted === undefined) continue;
    const before = events.slice(0, at).filter(isExecutionEvent);
    const jobs = before.flatMap((one) => (one.type === 'execution.dispatched' ? [one] : []));
    const own = jobs.find(({ id }) => id === event.id);
    const former = jobs.find(({ id }) => id === event.adopted);
    must(own !== undefined && former !== undefined, 'both were dispatched');
    must(own.n === former.n + 1, 'the direct successor adopts');
    must(own.job.role === 'execute' && former.job.role === 'execute', 'never a verdict');
    must(event.result.kind === 'executed', 'a turn is adopted');
    const { attempt } = own.job;
    must(attempt === former.job.attempt, 'of one attempt');
    const isStarted = before.some(({ id, type }) => id === own.id && type === 'execution.leased');
    must(!isStarted, 'nobody has claimed the successor');
    const later = jobs.some(({ n }) => n > own.n);
    must(!later, 'no later one was dispatched');
    const end = before.findLast(({ id }) => id === former.id);
    must(end?.type === 'execution.failed' && end.seal === null, 'the former was lost');
    must(!adoptedIn.includes(attempt), `attempt ${attempt} adopts twice`);
    adoptedIn.push(attempt);
  }
  return adoptedIn.length;
}

test('X7: a late seal is adopted at most once an attempt, and never after a successor started', () => {
  let adoptions = 0;
  fc.assert(
    fc.property(actions, (script) => {
      const world: World = { aggregate: emptyAggregate, events: [] };
      tell(world, ofRun(start()));
      for (const action of script) act(world, action);
      adoptions += judge(world.events);
      expect(world.events.reduce(foldEvolve, emptyAggregate)).toEqual(world.aggregate);
    }),
    { numRuns, examples: [[twiceInAnAttempt]] },
  );
  expect(adoptions).toBeGreaterThan(numRuns / 20);
});
