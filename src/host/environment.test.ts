import { expect, test } from 'vitest';
import { laneEnvironment } from './environment.ts';

const built = (host: Record<string, string>, allow: string[] = [], set = {}) =>
  laneEnvironment({
    host,
    policy: { allow, set },
    secrets: { TOKEN: 's' },
    adapter: { PAWL_PROMPT_FILE: '/p' },
    execution: 'abc.1',
  });

test('an environment is built from names that are allowed; secrets of the shell stay there (L-N1)', () => {
  const env = built({
    PATH: '/bin',
    LC_ALL: 'C',
    AWS_SECRET_ACCESS_KEY: 'k',
    ANTHROPIC_API_KEY: 'k',
    NODE_ENV: 'production',
  });
  expect(env).toEqual({
    PATH: '/bin',
    LC_ALL: 'C',
    TOKEN: 's',
    PAWL_PROMPT_FILE: '/p',
    PAWL_EXECUTION: 'abc.1',
  });
});

test('programs are found where who started the run finds them, not where the driver does', () => {
  const policy = { allow: [], set: {}, path: '/mine' };
  const request = { secrets: {}, adapter: {}, execution: 'abc.1', host: { PATH: '/drivers' } };
  expect(laneEnvironment({ ...request, policy })['PATH']).toBe('/mine');
  const set = { PATH: '/defined' };
  expect(laneEnvironment({ ...request, policy: { ...policy, set } })['PATH']).toBe('/defined');
});

test("a lane gets the proxies and allowed variables of who started its run, not the driver's", () => {
  const started = { values: { HTTP_PROXY: 'http://mine', MODE: 'a' }, withheld: ['MY_TOKEN'] };
  const policy = { allow: ['MODE', 'MY_TOKEN', 'GONE'], set: {}, started };
  const host = { HTTP_PROXY: 'http://x', NO_PROXY: 'x', MODE: 'b', GONE: 'x', MY_TOKEN: 't' };
  const env = laneEnvironment({ secrets: {}, adapter: {}, execution: 'abc.1', host, policy });
  expect(env).toEqual({ ...started.values, MY_TOKEN: 't', PAWL_EXECUTION: 'abc.1' });
});

test('the definition allows and sets more', () => {
  const env = built({ MY_KEY: '1', MYLIB_A: '2' }, ['MY_KEY', 'MYLIB_*'], { CI: '1' });
  expect(env).toMatchObject({ MY_KEY: '1', MYLIB_A: '2', CI: '1' });
});

test('what lets a process outside the tree work for a lane cannot be allowed back', () => {
  const roads = {
    TMUX: 't',
    DBUS_SESSION_BUS_ADDRESS: 'd',
    XDG_RUNTIME_DIR: 'x',
    DOCKER_HOST: 'h',
  };
  const ours = { PAWL_OPERATOR_TOKEN: 'o', PAWL_HOME: '/h', PAWL_DATABASE: 'd' };
  const env = built({ ...roads, ...ours }, ['*'], { TMUX: 'again', PAWL_EXECUTION: 'other' });
  for (const name of Object.keys({ ...roads, ...ours })) expect(env).not.toHaveProperty(name);
  expect(env['PAWL_EXECUTION']).toBe('abc.1');
});
