/** What the edge of the engine lets pass, whatever the surface. */
import { expect, test } from 'vitest';
import type { ExecutionCommand } from '../domain/execution/message.ts';
import type { ExecutionId, GrantId, Instant, RunId } from '../domain/ids.ts';
import type { Principal } from '../domain/principal/principal.ts';
import { driverPrincipal, workerPrincipal } from './command.ts';
import { refusalOf } from './edge.ts';

const [own, other] = ['run1.2' as ExecutionId, 'run1.3' as ExecutionId];
const [at, grantId] = [0 as Instant, 'grant' as GrantId];
const aggregate = { run: { status: 'unborn' }, executions: [] } as const;

const refusal = (principal: Principal, command: ExecutionCommand, execution = own) =>
  refusalOf(aggregate, {
    ...{ kind: 'execution', run: 'run1' as RunId, execution, at, principal, command },
    actor: principal.actor,
  });

const start: ExecutionCommand = { type: 'start', grantId, rung: 'x', pid: 7, at };
const lost = { class: 'lane_died', proof: 'kernel', detail: 'gone' } as const;
const lose: ExecutionCommand = { type: 'lose', ...lost, at };

test('a worker moves the execution that it holds, and no other (XP-13)', () => {
  expect(refusal(workerPrincipal(own), start)).toBeNull();
  expect(refusal(workerPrincipal(other), start)).toEqual({
    code: 'principal.refused',
    command: 'result',
    kind: 'worker',
  });
});

test('what the sweep says of an execution nobody else says, and what its holder says, neither', () => {
  const human: Principal = { kind: 'human', actor: 'ada', channel: 'token', ancestry: null };
  expect(refusal(driverPrincipal, lose)).toBeNull();
  for (const principal of [human, workerPrincipal(own)]) {
    expect(refusal(principal, lose)).toMatchObject({ code: 'principal.refused' });
  }
  expect(refusal(driverPrincipal, start)).toMatchObject({ code: 'principal.refused' });
  expect(refusal(human, start)).toMatchObject({ code: 'principal.refused' });
});
