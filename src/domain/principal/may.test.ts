import { describe, expect, test } from 'vitest';
import { automation, driver, lane, operator } from '../../../test/support/run-fixtures.ts';
import { type GovernedCommand, isHumanOnly, isProvenHuman, may, permissions } from './may.ts';
import type { Principal } from './principal.ts';

const worker: Principal = { ...driver, kind: 'worker', channel: 'plane' };
const gates = [
  'resolve_gate',
  'answer',
  'accept',
  'resume',
  'retry_parked',
  'land',
  'record_landing',
  'prune',
  'loop_approve',
  'loop_resume',
  'loop_schedule',
  'raise_brake',
  'change_policy',
  'operator_token',
  'enrol_worker',
] as const satisfies readonly GovernedCommand[];

describe('gate-lifting commands (DESIGN 11a, ruling 15)', () => {
  test.each(gates)('%s is a human’s alone', (gate) => {
    expect(isHumanOnly(gate)).toBe(true);
    expect(may(operator, gate)).toBe(true);
    for (const other of [automation, driver, lane, worker]) expect(may(other, gate)).toBe(false);
  });
});

test('who only says that he is human is a program', () => {
  const claims = (channel: Principal['channel'], ancestry: Principal['ancestry']) =>
    isProvenHuman({ ...operator, channel, ancestry });
  expect(claims('terminal', 'clean')).toBe(true);
  expect(claims('terminal', 'unknown')).toBe(true);
  expect(claims('terminal', 'lane')).toBe(false);
  expect(claims('terminal', 'agent')).toBe(false);
  expect(claims('terminal', null)).toBe(false);
  expect(claims('ui', null)).toBe(true);
  expect(claims('token', null)).toBe(true);
  expect(claims('library', null)).toBe(false);
  expect(isProvenHuman(automation)).toBe(false);
  const agent: Principal = { ...operator, ancestry: 'agent' };
  expect(may(agent, 'land')).toBe(false);
  expect(may(agent, 'start')).toBe(true);
});

test('automation steers only what it started', () => {
  const own = { startedBy: 'automation', startedActor: 'cron' } as const;
  for (const command of ['hint', 'pause', 'cancel'] as const) {
    expect(may(automation, command, { subject: own })).toBe(true);
    expect(may(automation, command, { subject: { ...own, startedActor: 'other' } })).toBe(false);
    expect(may(automation, command, { subject: { ...own, startedBy: 'human' } })).toBe(false);
    expect(may(automation, command)).toBe(false);
    expect(may(lane, command, { subject: own })).toBe(false);
  }
});

test('a lane starts a run only where nested ones are allowed', () => {
  expect(may(lane, 'start')).toBe(false);
  expect(may(lane, 'start', { nestedAllowed: true })).toBe(true);
});

test('the machinery is not a human’s, and claims are a worker’s', () => {
  for (const command of ['job_ended', 'fire_timer', 'sweep', 'tick'] as const) {
    expect(may(driver, command)).toBe(true);
    expect(may(operator, command)).toBe(false);
    expect(isHumanOnly(command)).toBe(false);
  }
  expect(may(worker, 'claim')).toBe(true);
  expect(may(worker, 'job_ended')).toBe(true);
  expect(may(driver, 'claim')).toBe(false);
});

test('every command names at least one who may', () => {
  for (const [name, who] of Object.entries(permissions)) {
    expect(Object.keys(who).length, name).toBeGreaterThan(0);
  }
});
