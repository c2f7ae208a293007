import { expect, test } from 'vitest';
import { problemBody } from '../contract/operator/problem-body.ts';
import { ConfigError, RequestError, TransientError, WorldError } from '../kernel/errors.ts';
import { errorOf, toldError } from './problem.ts';

const details = {
  where: 'body.goal',
  found: '7',
  allowed: 'a text',
  next: 'pawl run --help',
  facts: { status: 'paused' },
};

test.each([
  [new RequestError('bad_value', 'a goal is a text', details), 400],
  [new TransientError('store.busy', 'busy', details), 503],
  [new WorldError('disk_full', 'no space', details), 507],
] as const)('an error is the same on the other side: %s', (error, status) => {
  const told = toldError(error);
  expect(told.status).toBe(status);
  const sent = problemBody.parse(JSON.parse(JSON.stringify(told.body)));
  const back = errorOf(sent);
  expect(back).toBeInstanceOf(error.constructor);
  expect(back).toMatchObject({ code: error.code, message: error.message, details });
});

test('every problem of a request is told', () => {
  const other = new RequestError('unknown_key', '"gaol" is not a key', { where: 'body' });
  const told = toldError(new ConfigError([new RequestError('bad_value', 'no', details), other]));
  expect(told.body).toMatchObject({ code: 'bad_value', others: [{ code: 'unknown_key' }] });
  const back = errorOf(problemBody.parse(told.body));
  expect(back).toBeInstanceOf(ConfigError);
  expect(back).toMatchObject({ problems: [{ code: 'bad_value' }, { code: 'unknown_key' }] });
});

test('of a bug nothing is told but that it is one', () => {
  const told = toldError(new Error('secret /home/me/key'));
  expect(told.status).toBe(500);
  expect(JSON.stringify(told.body)).not.toContain('secret');
  expect(told.body.code).toBe('internal_error');
});

test('a code of a newer server is told as one that is not understood', () => {
  const body = { code: 'not_known_yet', message: 'm', next: 'n', kind: 'request' } as const;
  expect(errorOf(body)).toMatchObject({ code: 'server_unlike', message: 'm' });
});
