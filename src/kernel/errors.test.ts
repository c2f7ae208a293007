import { expect, test, vi } from 'vitest';
import { errorCodes } from './error-codes.ts';
import { ConfigError, ProductError, RequestError, TransientError, WorldError } from './errors.ts';
import { InvariantViolation, invariant, unreachable } from './invariant.ts';
import { err, ok } from './result.ts';

test('an error says what it is, whether to try again, and what caused it', () => {
  const cause = new Error('EACCES');
  const request = new RequestError('human_required', 'no', { found: 'a pipe' }, cause);
  expect(request).toMatchObject({ name: 'RequestError', code: 'human_required', retryable: false });
  expect(request.cause).toBe(cause);
  expect(new TransientError('store.busy', 'busy').retryable).toBe(true);
  expect(new WorldError('store.busy', 'full')).toMatchObject({ retryable: false, details: {} });
  const config = new ConfigError([request]);
  expect(config).toMatchObject({ code: 'human_required', problems: [request], retryable: false });
});

/** A command, a flag, a variable to set, a key of a file, a request. */
const toType = /\b(?:pawl|git) [a-z<-]|--[a-z]|\b[A-Z_]+=|\w+: \{|\bGET \//;

test('every code is in order and says what to do next', () => {
  for (const { http, exit, next } of Object.values(errorCodes)) {
    expect(http).toBeGreaterThanOrEqual(200);
    expect(exit).toBeGreaterThanOrEqual(0);
    expect(next).not.toBe('');
  }
});

test('every code that is shown ends with something to type (UX 0.3)', () => {
  const shown = Object.entries(errorCodes).filter(([code]) => !code.includes('.'));
  expect(shown.filter(([, { next }]) => !toType.test(next))).toEqual([]);
});

test('a broken invariant is a bug and says so', () => {
  expect(() => invariant(true, 'fine')).not.toThrow();
  expect(() => invariant(false, 'it holds')).toThrow(InvariantViolation);
  expect(() => unreachable('x' as never)).toThrow('unreachable: "x"');
});

test('a result is one of two', () => {
  expect(ok(1)).toEqual({ ok: true, value: 1 });
  expect(err('e')).toEqual({ ok: false, error: 'e' });
});

test('what another bundle throws is known by its class, though that bundle has copies of its own', async () => {
  vi.resetModules();
  const theirs = await import('./errors.ts');
  expect(theirs.WorldError).not.toBe(WorldError);
  const thrown = new theirs.WorldError('git_failed', 'no repository');
  const is = [ProductError, WorldError, TransientError, RequestError, Error];
  expect(is.map((type) => thrown instanceof type)).toEqual([true, true, false, false, true]);
});

test.each([null, undefined, 'text', {}, new Error('x')])('%o is none of ours', (other) => {
  expect(other instanceof ProductError).toBe(false);
  expect(other instanceof WorldError).toBe(false);
});
