/** Goal: what counts here can be seen, with the place that it came from (UX 4.3). */
import { expect, test } from 'vitest';
import { typed } from '../../test/support/scripted-cli.ts';

const yaml = `version: 1
agents: { mine: { command: [my-agent] } }
agent: mine
setup: npm ci
check: [npm run lint, npm test]
protected: [test/golden/**]
brakes:
  attempts: 7
  cost: 80
`;
const user = `protected: [secret/**]
onLimit: stop
brakes: { time: 2h, attempts: 9 }
ceilings: { cost: 50 }
`;
const files = {
  '/home/me/dates/pawl.yaml': yaml,
  '/home/me/.config/pawl/config.yaml': user,
};
const env = { HOME: '/home/me', PAWL_BASELINE: 'skip', PAWL_ATTEMPTS: '8' };
const shown = (...line: readonly string[]) =>
  typed(['config', 'show', ...line], { terminal: { files }, env });
const origins = async (...line: readonly string[]) => {
  const { out } = await shown('--origin', ...line);
  return Object.fromEntries(
    out
      .trimEnd()
      .split('\n')
      .map((row) => row.split(/ {2,}/))
      .map(([key = '', origin, value]) => [key, [value, origin]]),
  );
};

test('each value comes from a file with its line, a variable, a flag, or nowhere', async () => {
  const from = await origins('--max-time', '3h');
  expect(from).toMatchObject({
    'roles.execute.agent': ['"mine"', 'pawl.yaml:3:8'],
    'workspace.setup.run': ['"npm ci"', 'pawl.yaml:4:8'],
    criteria: ['[{"test":"npm run lint"},{"test":"npm test"}]', 'pawl.yaml:5:8'],
    'brakes.attempts': ['8', 'PAWL_ATTEMPTS'],
    'brakes.time': ['"3h"', '--max-time'],
    'brakes.errorSignals': ['3', 'default'],
    baseline: ['"skip"', 'PAWL_BASELINE'],
    onLimit: ['"stop"', '~/.config/pawl/config.yaml:2:10'],
    'land.method': ['"squash"', 'default'],
  });
  expect((await origins())['brakes.time']).toEqual(['"2h"', '~/.config/pawl/config.yaml:3:17']);
});

test('a profile that no role names is told as the domain’s (EV-66)', async () => {
  const text = `${yaml}domain: ui\nroles: { verify: { profile: test } }\n`;
  const terminal = { files: { ...files, '/home/me/dates/pawl.yaml': text } };
  const { out } = await typed(['config', 'show', '--origin'], { terminal, env });
  expect(out).toMatch(/^roles\.execute\.profile +pawl\.yaml:10:9 \(domain: ui\) +"designer"$/m);
  expect(out).toMatch(/^roles\.verify\.profile +pawl\.yaml:11:29 +"test"$/m);
  expect(out.match(/^roles\.execute\.profile/gm)).toHaveLength(1);
});

test.each([
  { criteria: 'check: npm test', verify: [] },
  { criteria: 'criteria: [{ oracle: is it good }]', verify: ['"observer"'] },
  { criteria: 'criteria: [{ observer: is it good }]', domain: 'code', verify: [] },
  { criteria: 'check: npm test\nroles: { verify: {} }', verify: ['"observer"'] },
])(
  'a judge is told only where one is, and as the domain’s only where it picks: $criteria',
  async ({ criteria, domain = 'ui', verify }) => {
    const text = `domain: ${domain}\n${criteria}\n`;
    const terminal = { files: { ...files, '/home/me/dates/pawl.yaml': text } };
    const { out } = await typed(['config', 'show'], { terminal, env });
    expect(out).toMatch(/^roles\.execute\.profile/m);
    const told = [...out.matchAll(/^roles\.verify\.profile +(.*)$/gm)];
    expect(told.map(([, value]) => value)).toEqual(verify);
  },
);

test('who is asked where nothing is said follows what the agent is held to', async () => {
  const policy = async (permissions: string) => {
    const text = `agent: claude\ncheck: npm test\npermissions: ${permissions}\n`;
    const terminal = { files: { ...files, '/home/me/dates/pawl.yaml': text } };
    const { out } = await typed(['config', 'show', '--origin'], { terminal, env });
    return /^onPermission +(.*\S) *$/m.exec(out)?.[1]?.split(/ +/);
  };
  expect(await policy('ask')).toEqual(['default', '"ask"']);
  expect(await policy('workspace')).toEqual(['default', '"deny"']);
});

test('a ceiling is where a capped value comes from', async () => {
  expect((await origins())['brakes.cost']).toEqual([
    '50',
    '~/.config/pawl/config.yaml:4:19 (ceiling)',
  ]);
});

test('lists that are added up towards safety name both places', async () => {
  expect((await origins())['protected']).toEqual([
    '["test/golden/**","secret/**"]',
    'pawl.yaml:6:12 and ~/.config/pawl/config.yaml:1:12',
  ]);
});

test('without a file the defaults are shown, each called one', async () => {
  const { out } = await typed(['config', 'show', '--json']);
  const { definition, origin } = JSON.parse(out) as {
    readonly definition: object;
    readonly origin: Readonly<Record<string, string>>;
  };
  expect(definition).toMatchObject({ brakes: { attempts: 5, time: '8h' }, baseline: 'auto' });
  expect(new Set(Object.values(origin))).toEqual(new Set(['default']));
});

test('path names the files that are read, also when one of them is broken', async () => {
  const broken = { '/home/me/dates/pawl.yaml': 'check: [' };
  const { exit, out } = await typed(['config', 'path'], { terminal: { files: broken } });
  expect(exit).toBe(0);
  expect(out).toMatch(/^project +\/home\/me\/dates\/pawl\.yaml *$/m);
  expect(out).toMatch(/^user +\/home\/me\/\.config\/pawl\/config\.yaml +not there$/m);
  expect(out).toMatch(/^state +\/state *$/m);
});

test('check says every problem of every file, and starts nothing', async () => {
  const wrong = {
    '/home/me/dates/pawl.yaml': 'brakes:\n  maxAttempts: 3\n',
    '/home/me/.config/pawl/config.yaml': 'onLimit: perhaps\n',
  };
  const { exit, err, client } = await typed(['config', 'check'], { terminal: { files: wrong } });
  expect({ exit, calls: client.calls }).toEqual({ exit: 2, calls: [] });
  expect(err).toContain(`error[unknown_key] pawl.yaml:2:3: "maxAttempts" is not a key of brakes
  allowed      attempts, attemptTime, cost, errorSignals, steps, time, tokens, waitTime
  next         did you mean "attempts"?   pawl config check
`);
  expect(err).toContain('"onLimit"');
  expect((await typed(['config', 'check'], { terminal: { files } })).exit).toBe(0);
});

const pigeon = 'notify: { to: [pigeon] }\n';
const places = { project: '/home/me/dates/pawl.yaml', user: '/home/me/.config/pawl/config.yaml' };
const agent = 'agents: { mine: { command: [my-agent] } }\nagent: mine\n';
/** Each of them breaks a rule that the schema alone does not know. */
const refusedByRun = {
  notify: pigeon,
  'a criterion': 'criteria: [{ test: npm test, command: npm test }]\n',
  'an endless run': 'brakes: { attempts: null, cost: null, time: null }\n',
  'an unknown agent': 'agent: nobody-knows\n',
  'a judge without an agent': 'criteria: [{ oracle: is it good }]\n',
};

test.each(Object.entries(refusedByRun))(
  'what run refuses is refused by check too, in either file: %s (UX 2.4)',
  async (_what, text) => {
    for (const path of [places.project, places.user]) {
      const files = { [path]: text.startsWith('agent:') ? text : agent + text };
      const ran = await typed(['run', 'go', '--manual'], { terminal: { files } });
      const checked = await typed(['config', 'check'], { terminal: { files } });
      expect([ran.exit, checked.exit]).toEqual([2, 2]);
      const named = (err: string) => err.split('\n').filter((line) => line.startsWith('error['));
      expect(named(ran.err)).toEqual(expect.arrayContaining(named(checked.err).slice(0, 1)));
    }
  },
);

test('what the project hides of your own file is checked too', async () => {
  const files = { [places.project]: 'notify: { to: [desktop] }\n', [places.user]: pigeon };
  const { exit, err } = await typed(['config', 'check'], { terminal: { files } });
  expect(exit).toBe(2);
  expect(err).toContain('/.config/pawl/config.yaml:1:16');
  expect(err.match(/names no place to tell/g)).toHaveLength(1);
});
