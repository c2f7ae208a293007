import { expect, test } from 'vitest';
import { exampleDefinition } from '../../test/support/example-run.ts';
import { hostEnvironment, placedDefinition } from './placed.ts';

const place = { root: '/w/mirrors/1.git', submodules: false };

test('what names the machine of the starter stays there; what says what is wanted goes along', () => {
  const definition = exampleDefinition({
    workspace: { setup: null, copy: ['.env'], submodules: 'auto' },
    env: {
      allow: ['STAGE', 'DB_*'],
      set: { CI: '1' },
      path: '/home/ada/bin',
      started: {
        values: {
          LANG: 'de_DE.UTF-8',
          XDG_CONFIG_HOME: '/home/ada/.config',
          STAGE: 'x',
          DB_A: 'y',
        },
        withheld: ['DB_PASSWORD'],
      },
    },
  });
  const here = placedDefinition(definition, place);
  expect(here.project).toEqual({ ...definition.project, root: place.root });
  expect(here.workspace).toMatchObject({ copy: [], submodules: 'off' });
  expect(here.env).toEqual({
    allow: ['STAGE', 'DB_*'],
    set: { CI: '1' },
    started: {
      values: { LANG: 'de_DE.UTF-8', STAGE: 'x', DB_A: 'y' },
      withheld: ['DB_PASSWORD'],
    },
  });
  expect(here.intent).toBe(definition.intent);
});

test('submodules that the repository has filled are filled by their addresses, or refused', () => {
  const definition = exampleDefinition();
  const given = { ...place, submodules: true };
  expect(placedDefinition(definition, given).workspace.submodules).toBe('on');
  const off = exampleDefinition({ workspace: { setup: null, copy: [], submodules: 'off' } });
  expect(placedDefinition(off, given).workspace.submodules).toBe('off');
});

test('nothing of the worker of who started it reaches a host, but how programs are found (XP-29)', () => {
  const own = {
    PATH: '/usr/bin',
    HOME: '/home/ada',
    LANG: 'C',
    HTTPS_PROXY: 'http://ada:canary@proxy:1',
    NO_PROXY: 'localhost',
    ANTHROPIC_API_KEY: 'canary',
    AWS_SECRET_ACCESS_KEY: 'canary',
    SSH_AUTH_SOCK: '/tmp/canary',
    GIT_ASKPASS: 'canary',
    PAWL_OPERATOR_TOKEN: 'canary',
    XDG_CONFIG_HOME: '/home/ada/canary',
  };
  const env = hostEnvironment(own, { home: '/w', userHome: '/w/user' });
  expect(env).toEqual({
    PAWL_HOME: '/w',
    HOME: '/w/user',
    PATH: '/usr/bin',
    LANG: 'C',
    NO_PROXY: 'localhost',
  });
});
