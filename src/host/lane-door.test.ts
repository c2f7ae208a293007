import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { doorRig } from '../../test/support/door-rig.ts';
import { removeRig, run, type Script } from '../../test/support/lane-rig.ts';
import { laneModelsDoor } from '../main/models-door.ts';
import type { Turn } from '../testing/model-server/script.ts';
import { nodeClock } from './clock.ts';

const folder = mkdtempSync(join(tmpdir(), 'pawl-lane-door-'));
const servers = doorRig();
afterEach(() => servers.close());
afterAll(() => {
  removeRig();
  rmSync(folder, { recursive: true, force: true });
});

const key = 'sk-real-CANARY-9876543210';
const keyFile = join(folder, 'key');
writeFileSync(keyFile, `${key}\n`);

const asking = join(folder, 'asking.mjs');
writeFileSync(
  asking,
  `const { OPENAI_BASE_URL: base, OPENAI_API_KEY: key } = process.env;
const tools = [{ type: 'function', function: { name: 'bash', parameters: {} } }];
export async function ask() {
  const answer = await fetch(base + '/chat/completions', {
    method: 'POST',
    headers: { authorization: 'Bearer ' + key },
    body: JSON.stringify({ model: 'gpt-5', messages: [{ role: 'user', content: 'x' }], tools }),
  });
  console.log('got', answer.status, await answer.text());
}
`,
);
/** Asks as often as it is told, says what it holds and got, and claims success in any case. */
const agent = join(folder, 'agent.mjs');
writeFileSync(
  agent,
  `import { ask } from ${JSON.stringify(asking)};
console.log('env', JSON.stringify(process.env));
for (let n = 0; n < Number(process.argv[2]); n += 1) await ask();
console.log('all done, all tests pass');
`,
);

const usage = { inputTokens: 10_000, cachedTokens: 4_000, outputTokens: 1_000 };

async function lane(turn: Turn, calls: number, more: Partial<Script> = {}) {
  const server = await servers.serving([turn]);
  const came = await run({
    agent: '',
    argv: [process.execPath, agent, String(calls)],
    models: 'inject',
    set: { OPENAI_BASE_URL: `${server.url}/v1` },
    secrets: { OPENAI_API_KEY: `file:${keyFile}`, NPM_TOKEN: `file:${keyFile}` },
    options: { modelsDoor: laneModelsDoor(nodeClock()) },
    ...more,
  });
  const journals = join(came.spool, 'journal');
  const journal = readdirSync(journals).map((name) => readFileSync(join(journals, name), 'utf8'));
  return { ...came, server, journal: journal.join('') };
}

test('the lane asks the door with a key that is none, and what it spends is metered (XP-28, L-N1)', async () => {
  const { result, server, journal } = await lane({ text: 'hello', usage }, 2);
  expect(result).toMatchObject({
    kind: 'executed',
    outcome: 'turn_ended',
    usage: {
      source: 'metered',
      tokensIn: 12_000,
      cacheRead: 8_000,
      cacheWrite: 0,
      tokensOut: 2_000,
    },
  });
  expect(result?.kind === 'executed' && result.usage.costUsd).toBeCloseTo(0.036, 4);
  expect(server.requests().map(({ headers }) => headers['authorization'])).toEqual([
    `Bearer ${key}`,
    `Bearer ${key}`,
  ]);
  expect(journal).toContain('got 200');
  expect(journal).toContain('held-by-pawl');
  expect(journal).not.toContain(key);
  expect(journal).toMatch(/127\.0\.0\.1:\d+\/x\/‹redacted MODELS_DOOR›\/v1/);
  expect(journal).not.toMatch(/MODELS_DOOR\\*":/);
  expect(journal).toMatch(/NO_PROXY[^,]*127\.0\.0\.1/);
});

test('a budget that is spent inside the turn ends it so, though the lane claims success (L-F1)', async () => {
  const budget = { costUsd: 0.03, tokens: null };
  const { result, server, journal } = await lane({ text: 'x', usage }, 6, { dispatch: { budget } });
  expect(result).toMatchObject({
    kind: 'failed',
    class: 'budget_exhausted',
    detail: 'the budget (cost) was spent inside the turn',
    usage: { source: 'metered', tokensOut: 2_000 },
  });
  expect(server.requests()).toHaveLength(2);
  expect(journal).toContain('models door: refused budget_exceeded cost');
});

test('what a cancelled lane spends on its way out is told before its end is acknowledged', async () => {
  const source = `import { ask } from ${JSON.stringify(asking)};
process.on('SIGTERM', () => ask().then(() => process.exit(0)));
await ask();
setInterval(() => {}, 1_000);
`;
  const leaving = join(folder, 'leaving.mjs');
  writeFileSync(leaving, source);
  const spent: number[] = [];
  const { exit, server } = await lane({ text: 'x', usage }, 0, {
    argv: [process.execPath, leaving],
    // So far apart that the next regular beat comes too late.
    ttlMs: 9_000,
    options: {
      modelsDoor: laneModelsDoor(nodeClock()),
      spans: { graceMs: 20_000, completingMs: 50, watchMs: 20 },
    },
    beats: (so) => {
      spent.push(so?.tokensOut ?? 0);
      return { ok: true, cancel: (so?.tokensOut ?? 0) > 0, pause: false };
    },
  });
  expect(exit.how).toBe('cancelled');
  expect(server.requests()).toHaveLength(2);
  expect(spent.at(-1)).toBe(2_000);
});

test('a budget that is reached by the last call has stopped nothing (L-F8)', async () => {
  const budget = { costUsd: 0.03, tokens: null };
  const { result } = await lane({ text: 'x', usage }, 2, { dispatch: { budget } });
  expect(result).toMatchObject({ kind: 'executed', outcome: 'turn_ended' });
});

test('a long limit ends the turn with its reset, whatever the lane makes of it (L-E1)', async () => {
  const fails = { by: 'rate_limited_until', resetsInSeconds: 3_600 } as const;
  const before = Date.now();
  const { result } = await lane({ text: 'x', fails }, 3);
  expect(result).toMatchObject({ kind: 'executed', outcome: 'limit' });
  const until = result?.kind === 'executed' ? result.limitUntil : null;
  expect(until).toBeGreaterThan(before + 3_590_000);
});

test.each([
  ['unauthorized', 'auth_required'],
  ['server_error', 'transport_lost'],
] as const)('%s at the service is %s of the lane', async (by, wanted) => {
  const { result } = await lane({ text: 'x', fails: { by } }, 4);
  expect(result).toMatchObject({ kind: 'failed', class: wanted });
});

test.each([
  ['drop', 'transport_lost'],
  ['context_overflow', 'context_overflow'],
] as const)(
  'an end after %s is none, though the lane claims success (L-E11)',
  async (by, wanted) => {
    const carefree = `try { await ask(); } catch {}`;
    const source = `import { ask } from ${JSON.stringify(asking)};\n${carefree}\nconsole.log('done');\n`;
    const path = join(folder, `carefree-${by}.mjs`);
    writeFileSync(path, source);
    const argv = [process.execPath, path];
    const { result } = await lane({ text: 'word '.repeat(200), fails: { by } }, 0, { argv });
    expect(result).toMatchObject({ kind: 'failed', class: wanted });
  },
);

test('a role that does not ask for a door has its key as any secret', async () => {
  const server = await servers.serving([{ text: 'x', usage }]);
  const { result } = await run({
    agent: '',
    argv: [process.execPath, agent, '1'],
    set: { OPENAI_BASE_URL: `${server.url}/v1` },
    secrets: { OPENAI_API_KEY: `file:${keyFile}` },
    options: { modelsDoor: laneModelsDoor(nodeClock()) },
  });
  expect(result).toMatchObject({ kind: 'executed', usage: { source: 'none' } });
  expect(server.requests()[0]?.headers['authorization']).toBe(`Bearer ${key}`);
});

test('a door that cannot be opened is said before anything runs', async () => {
  const set = { OPENAI_BASE_URL: 'http://models.example/v1' };
  const { result, server } = await lane({ text: 'x' }, 1, { set });
  expect(result).toMatchObject({ kind: 'failed', class: 'dispatch_failed' });
  expect(result?.kind === 'failed' && result.detail).toContain('a key is not sent over plain http');
  expect(server.requests()).toEqual([]);
});

test('what a judge spends is metered too', async () => {
  const { result } = await lane({ text: 'x', usage }, 1, {
    role: 'judge',
    dispatch: { criteria: [0] },
  });
  expect(result).toMatchObject({
    kind: 'verified',
    usage: { source: 'metered', tokensIn: 6_000, tokensOut: 1_000 },
  });
});

test('a judge that was refused has not judged', async () => {
  const budget = { costUsd: 0.001, tokens: null };
  const { result } = await lane({ text: 'x', usage }, 3, {
    role: 'judge',
    dispatch: { budget, criteria: [0] },
  });
  expect(result).toMatchObject({ kind: 'failed', class: 'budget_exhausted' });
});
