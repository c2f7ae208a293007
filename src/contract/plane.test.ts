import { expect, test } from 'vitest';
import { planeVerbNames, planeVerbs, putKinds } from './plane.ts';
import { bodyOf, planeRefusalCodes, planeRefusals, refusalBody } from './plane-refusals.ts';

const digest = `sha256:${'a'.repeat(64)}`;
const binding = {
  ...{ run: 'run1', dispatch: 'run1.1:5', execution: 'run1.1', job: 'execute', attempt: 1 },
  ...{ implementation: 'fixer@demo/-', fence: 1, grantId: 'g' },
};
const start = { wire: 1, binding, rung: 'cgroup', pid: 7 };

test('a message of another wire version, or with a key nobody knows, is none (XP-13)', () => {
  const { request } = planeVerbs.start;
  expect(request.safeParse(start).success).toBe(true);
  expect(request.safeParse({ ...start, wire: 2 }).success).toBe(false);
  expect(request.safeParse({ ...start, more: 1 }).success).toBe(false);
  const { fence: _fence, ...unbound } = binding;
  expect(request.safeParse({ ...start, binding: unbound }).success).toBe(false);
  const odd = { ...binding, execution: '../run1.1' };
  expect(request.safeParse({ ...start, binding: odd }).success).toBe(false);
});

test('every verb of an execution binds it to run, dispatch, job, attempt and fence (XP-13)', () => {
  for (const name of planeVerbNames) {
    const { proof, request } = planeVerbs[name];
    expect('binding' in request.shape, name).toBe(proof === 'execution');
    expect(request.safeParse({ ...start, unknown: true }).success, name).toBe(false);
  }
});

test('no text is without a bound', () => {
  const { request } = planeVerbs.heartbeat;
  const beat = { wire: 1, binding, beat: 1, signals: '{}', usage: null };
  expect(request.safeParse(beat).success).toBe(true);
  expect(request.safeParse({ ...beat, signals: 'x'.repeat(1025) }).success).toBe(false);
  const sealed = (kind: string) => ({ wire: 1, binding, seal: digest, result: { kind } });
  expect(planeVerbs.result.request.safeParse(sealed('verified')).success).toBe(false);
});

test('a refusal is a code and its constant text', () => {
  for (const code of planeRefusalCodes) {
    expect(refusalBody.parse(bodyOf(code))).toEqual({
      ok: false,
      code,
      message: planeRefusals[code].text,
    });
    expect(planeRefusals[code].http).toBeGreaterThanOrEqual(400);
  }
});

test('a worker puts what it made, never what a run was started with', () => {
  for (const own of ['definition', 'prompt', 'hint', 'answer']) expect(putKinds).not.toContain(own);
});
