import { expect, test } from 'vitest';
import {
  asStarted,
  requireStarted,
  starterEnvironment,
  withheldValues,
} from './starter-environment.ts';

const shell = {
  PATH: '/mine',
  HOME: '/home/me',
  LANG: 'de_DE.UTF-8',
  HTTP_PROXY: 'http://proxy:3128',
  HTTPS_PROXY: 'http://me:word@proxy:3128',
  NPM_TOKEN: 't0ken',
  MYLIB_MODE: 'fast',
  MYLIB_API_KEY: 'k',
  OTHER: 'x',
  PAWL_OPERATOR_TOKEN: 'o',
};

test('what the definition lets through goes with the run; secrets go by name alone (L-N1)', () => {
  const taken = starterEnvironment(shell, ['NPM_TOKEN', 'MYLIB_*', 'PAWL_*', '*']);
  expect(taken).toEqual({
    values: { HTTP_PROXY: 'http://proxy:3128', LANG: 'de_DE.UTF-8', MYLIB_MODE: 'fast' },
    withheld: ['HTTPS_PROXY', 'MYLIB_API_KEY', 'NPM_TOKEN'],
  });
  expect(JSON.stringify(taken)).not.toMatch(/t0ken|word@|"k"/);
});

test('a run sees what its own starter had, not what the starter of the driver had', () => {
  const allow = ['MYLIB_*', 'NPM_TOKEN'];
  const started = starterEnvironment(shell, allow);
  const driver = {
    HOME: '/home/me',
    NO_PROXY: 'theirs',
    HTTP_PROXY: 'http://theirs',
    NPM_TOKEN: 'driver',
    MYLIB_LEVEL: '9',
    OTHER: 'y',
  };
  expect(asStarted(driver, { allow, started })).toEqual({
    HOME: '/home/me',
    OTHER: 'y',
    NPM_TOKEN: 'driver',
    HTTP_PROXY: 'http://proxy:3128',
    LANG: 'de_DE.UTF-8',
    MYLIB_MODE: 'fast',
  });
  expect(() => requireStarted(driver, { allow, started })).toThrow(
    'HTTPS_PROXY, MYLIB_API_KEY is not set for the driver: start the driver where it is',
  );
  expect(() => requireStarted(shell, { allow, started })).not.toThrow();
});

test('a run from before is given what its driver has', () => {
  expect(asStarted(shell, { allow: [] })).toBe(shell);
  expect(() => requireStarted({}, { allow: [] })).not.toThrow();
});

test('what was withheld is known by its value, to be told nowhere; short ones hide too much (XP-28)', () => {
  const started = starterEnvironment(shell, ['NPM_TOKEN', 'MYLIB_*']);
  const own = { ...shell, NPM_TOKEN: 'of-the-driver' };
  expect(withheldValues(own, { started })).toEqual({
    HTTPS_PROXY: 'http://me:word@proxy:3128',
    NPM_TOKEN: 'of-the-driver',
  });
  expect(withheldValues({}, { started })).toEqual({});
  expect(withheldValues(own, {})).toEqual({});
});
