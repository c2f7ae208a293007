import { expect, test } from 'vitest';
import { checkEnvironment } from './check-environment.ts';

const definition = { env: { allow: [], set: {} }, secrets: {} };

test('checks find programs where who started the run finds them; CI stays "1" (L-D16)', () => {
  const env = { PATH: '/drivers', CI: 'false' };
  expect(checkEnvironment(env, definition)).toMatchObject({ PATH: '/drivers', CI: '1' });
  const started = { ...definition, env: { ...definition.env, path: '/mine' } };
  expect(checkEnvironment(env, started)).toMatchObject({ PATH: '/mine', CI: '1' });
  const set = { ...started, env: { ...started.env, set: { PATH: '/defined' } } };
  expect(checkEnvironment(env, set)).toMatchObject({ PATH: '/defined' });
});

test('checks get the proxies of who started the run, and no others', () => {
  const started = { values: { https_proxy: 'http://mine' }, withheld: [] };
  const env = checkEnvironment(
    { https_proxy: 'http://x', NO_PROXY: 'x', HOME: '/h' },
    { env: { allow: [], set: {}, started }, secrets: {} },
  );
  expect(env).toEqual({
    HOME: '/h',
    https_proxy: 'http://mine',
    PYTHONDONTWRITEBYTECODE: '1',
    CI: '1',
  });
});
