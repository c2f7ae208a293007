import { expect, test } from 'vitest';
import { type SettingChange, turnSetting } from '../../../test/support/turn-setting.ts';
import type { Dispatch } from '../../ports/plane.ts';
import { piAdapter } from './adapter.ts';

const door = {
  ...{ OPENAI_BASE_URL: 'http://127.0.0.1:1/x/t/v1', OPENAI_API_KEY: 'held-by-pawl' },
  ...{ ANTHROPIC_BASE_URL: 'http://127.0.0.1:1/x/t', ANTHROPIC_API_KEY: 'held-by-pawl' },
  ...{ GOOGLE_GEMINI_BASE_URL: 'http://127.0.0.1:1/x/t', GEMINI_API_KEY: 'held-by-pawl' },
};
const definition = (set: Readonly<Record<string, string>> = {}) =>
  ({ env: { allow: [], set } }) as unknown as Dispatch['definition'];
const launched = ({ dispatch, ...more }: SettingChange = {}) =>
  piAdapter.launch(
    turnSetting({
      ...{ permissions: 'trusted', ...more },
      dispatch: { definition: definition(), ...dispatch },
    }),
  );
const keyed = (model: string | null, set = {}) =>
  launched({
    ...{ role: { models: 'inject', model }, env: door },
    dispatch: { definition: definition(set) },
  });
const seeded = (launch: ReturnType<typeof launched>, path: string) => {
  const seed = launch.seeds?.find((one) => one.path === path);
  return seed === undefined ? null : JSON.parse(seed.text);
};

test('the prompt goes to stdin whole, and never into an argument (RR-19, L-J4)', () => {
  const prompt = 'x'.repeat(200_000);
  const { stdin, argv } = launched({ dispatch: { prompt } });
  expect(stdin).toBe(prompt);
  expect(argv.slice(0, 4)).toEqual(['/bin/pi', '--mode', 'json', '--offline']);
  expect(argv.join(' ').length).toBeLessThan(1_000);
});

test("with the user's login nothing is put anywhere, and what is personal is left out (RR-20)", () => {
  const { env, seeds, argv } = launched({ role: { model: 'sonnet' } });
  expect(env).toMatchObject({ PI_OFFLINE: '1', PI_TELEMETRY: '0' });
  expect(env).not.toHaveProperty('PI_CODING_AGENT_DIR');
  expect(seeds).toEqual([]);
  expect(argv).toEqual(expect.arrayContaining(['--no-extensions', '--no-skills']));
  expect(argv.slice(-2)).toEqual(['--model', 'sonnet']);
});

test('with a key its home is its own, and asks the models door for each service (RR-20)', () => {
  const launch = keyed('claude-x');
  expect(launch.env).toMatchObject({ PI_CODING_AGENT_DIR: '/homes/run/execute' });
  expect(launch.argv.slice(-2)).toEqual(['--model', 'anthropic/claude-x']);
  expect(seeded(launch, 'models.json')).toEqual({
    providers: {
      anthropic: { baseUrl: 'http://127.0.0.1:1/x/t', apiKey: 'ANTHROPIC_API_KEY' },
      openai: { baseUrl: 'http://127.0.0.1:1/x/t/v1', apiKey: 'OPENAI_API_KEY' },
      google: { baseUrl: 'http://127.0.0.1:1/x/t/v1beta', apiKey: 'GEMINI_API_KEY' },
    },
  });
  expect(seeded(launch, 'settings.json')).toMatchObject({
    ...{ enableInstallTelemetry: false, retry: { provider: { maxRetries: 0 } } },
  });
});

test('behind an address of the definition models are asked for by Chat Completions', () => {
  const launch = keyed('qwen3', { OPENAI_BASE_URL: 'https://gateway.example/v1' });
  expect(launch.argv.slice(-2)).toEqual(['--model', 'pawl/qwen3']);
  expect(seeded(launch, 'models.json').providers.pawl).toMatchObject({
    ...{ api: 'openai-completions', models: [{ id: 'qwen3' }] },
  });
});

test('each role is told its own model, and none when the definition names none (SL-84)', () => {
  const named = [keyed('gpt-5'), keyed('claude-x'), keyed(null)].map(({ argv }) =>
    argv.slice(argv.indexOf('--model') < 0 ? argv.length : argv.indexOf('--model')),
  );
  expect(named).toEqual([['--model', 'openai/gpt-5'], ['--model', 'anthropic/claude-x'], []]);
});

test('a session is gone on with where its file is, and begun anew where it is gone', () => {
  const sessionId = '01a229d0-6db0-729a-ab24-ed22cc2f3874';
  const folder = '/homes/run/execute/sessions';
  const file = `2026-11-30T00-17-35-153Z_${sessionId}.jsonl`;
  const { argv } = launched({ dispatch: { sessionId }, folders: { [folder]: [file] } });
  expect(argv[argv.indexOf('--session') + 1]).toBe(`${folder}/${file}`);
  expect(launched({ dispatch: { sessionId } }).argv).not.toContain('--session');
});

test('its own login cannot be led through the models door, and it says so', () => {
  expect(() => launched({ role: { models: 'pass' } })).toThrow(/through the models door/);
  expect(() => launched({ programs: {} })).toThrow('pi is not on the PATH');
});
