import { expect, test } from 'vitest';
import { laneServices } from './lane-services.ts';

const url = 'http://127.0.0.1:7/x/t';

test('a service is served by its key, which the lane is not given (XP-28)', () => {
  const served = laneServices('inject', new Set(['OPENAI_API_KEY', 'NPM_TOKEN']), {});
  expect(served.upstreams).toEqual({
    openai: { base: 'https://api.openai.com', credential: 'OPENAI_API_KEY' },
  });
  expect(served.withheld).toEqual(['OPENAI_API_KEY']);
  expect(served.env(url)).toEqual({
    OPENAI_BASE_URL: `${url}/v1`,
    OPENAI_API_KEY: 'held-by-pawl',
  });
});

test('either name of a key serves the same service, and neither reaches the lane', () => {
  const served = laneServices('inject', new Set(['GOOGLE_API_KEY']), {});
  expect(served.upstreams.google?.credential).toBe('GOOGLE_API_KEY');
  expect(served.withheld).toEqual(['GEMINI_API_KEY', 'GOOGLE_API_KEY']);
  expect(served.env(url)).toMatchObject({
    GOOGLE_GEMINI_BASE_URL: url,
    GEMINI_API_KEY: 'held-by-pawl',
  });
});

test('an address that the definition sets is asked in the place of the usual one', () => {
  const set = {
    OPENAI_BASE_URL: 'https://openrouter.ai/api/v1/',
    ANTHROPIC_BASE_URL: 'https://models.example/anthropic',
  };
  const { upstreams } = laneServices(
    'inject',
    new Set(['OPENAI_API_KEY', 'ANTHROPIC_API_KEY']),
    set,
  );
  expect(upstreams.openai?.base).toBe('https://openrouter.ai/api');
  expect(upstreams.anthropic?.base).toBe('https://models.example/anthropic');
});

test('in mode pass every service is served, with the authorisation that the lane has', () => {
  const { upstreams, withheld, env } = laneServices('pass', new Set(['OPENAI_API_KEY']), {});
  expect(Object.keys(upstreams)).toEqual(['anthropic', 'openai', 'google']);
  expect(upstreams.openai?.credential).toBeNull();
  expect(withheld).toEqual([]);
  expect(env(url)).toEqual({
    ANTHROPIC_BASE_URL: url,
    OPENAI_BASE_URL: `${url}/v1`,
    GOOGLE_GEMINI_BASE_URL: url,
  });
});
