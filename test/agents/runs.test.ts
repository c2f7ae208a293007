/**
 * Goal: each real agent does the main job. Method: the built program with `--agent` and a check,
 * the pinned agent behind the models door, and the scripted model, whose first fix is wrong, so
 * that the second attempt is earned. `npm run test:agents` installs them; without it there are
 * none.
 */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { permissionsOf } from '../../src/contract/known-agents.ts';
import { modelServer } from '../../src/testing/model-server/model-server.ts';
import { type ModelRequest, sideAnswer, type Turn } from '../../src/testing/model-server/script.ts';
import { type Pawl, pawl } from '../support/pawl.ts';
import { runGit } from '../support/repositories.ts';
import { agentClis } from './clis.ts';

const installed: Readonly<Record<string, string>> = JSON.parse(
  process.env['PAWL_TEST_AGENTS'] ?? '{}',
);

const services = {
  anthropic: { key: 'ANTHROPIC_API_KEY', address: 'ANTHROPIC_BASE_URL', path: '' },
  openai: { key: 'OPENAI_API_KEY', address: 'OPENAI_BASE_URL', path: '/v1' },
  google: { key: 'GEMINI_API_KEY', address: 'GOOGLE_GEMINI_BASE_URL', path: '' },
} as const;

const suite = `import assert from 'node:assert/strict';
import test from 'node:test';
import { sum } from './sum.mjs';
test('sum', () => assert.equal(sum(2, 3), 5));
`;

/** Each attempt one call of its own tool, and then a word; the first attempt is wrong. */
function turnFor(asked: ModelRequest): Turn {
  return withSign(asked, asked.userText.includes('This is attempt 2') ? '+' : '*');
}

function withSign({ tools, toolText, schema }: ModelRequest, sign: '+' | '*'): Turn {
  if (tools.length === 0) return { text: sideAnswer(schema) };
  if (toolText !== null) return { text: 'All tests pass now.' };
  const text = `export const sum = (a, b) => a ${sign} b;`;
  return { text: 'I see.', tool: { shell: `echo '${text}' > sum.mjs` } };
}

let it: Pawl;
beforeEach(() => {
  it = pawl();
});
afterEach(() => it.close());

function projectOf(settings: string): string {
  const root = mkdtempSync(join(it.root, 'project-'));
  writeFileSync(join(root, 'package.json'), '{"name":"sums","type":"module"}\n');
  writeFileSync(join(root, 'sum.mjs'), 'export const sum = (a, b) => a - b;\n');
  writeFileSync(join(root, 'sum.test.mjs'), suite);
  writeFileSync(join(root, 'pawl.yaml'), settings);
  runGit(root, 'init', '-q', '-b', 'main');
  runGit(root, 'add', '.');
  runGit(root, 'commit', '-q', '-m', 'sums');
  return root;
}

/** The built program with one real agent and a model that this script is. */
async function withAgent(
  [name, folder]: readonly [string, string],
  { script, permissions }: { readonly script: typeof turnFor; readonly permissions?: 'ask' },
  use: (run: ReturnType<typeof runner>, root: string) => Promise<void>,
): Promise<void> {
  const cli = agentClis[name];
  expect(cli, `${name} has no adapter yet`).toBeDefined();
  if (cli === undefined) return;
  const { key, address, path } = services[cli.vendor];
  const server = await modelServer({ script: { '': script } });
  try {
    const keyFile = join(it.root, 'key');
    writeFileSync(keyFile, 'sk-real-CANARY-5566778899', { mode: 0o600 });
    const root = projectOf(`roles: { execute: { login: key, model: ${cli.model} } }
permissions: ${permissions ?? cli.permissions ?? 'workspace'}
secrets: { ${key}: "file:${keyFile}" }
env: { set: { ${address}: "${server.url}${path}" } }
`);
    const env = { PATH: `${join(folder, 'node_modules/.bin')}:${process.env['PATH'] ?? ''}` };
    await use(runner({ cwd: root, env, timeoutMs: 900_000 }), root);
  } finally {
    await server.close();
  }
}

function runner(options: {
  cwd: string;
  env: Readonly<Record<string, string>>;
  timeoutMs: number;
}) {
  const json = async (...words: readonly string[]) =>
    (await it.run([...words, '--json'], options)).json();
  const onTerminal = (...words: readonly string[]) => it.onTerminal(words, options);
  return { json, onTerminal };
}

/** Not each of them says it. */
const saysVersion = expect.toSatisfy(
  (version: unknown) => version === null || /^\d+\.\d+\.\d+/.test(String(version)),
);

const agents = Object.entries(installed);
const asking = agents.filter(([name]) => permissionsOf(name, false).includes('ask'));

describe.skipIf(agents.length === 0)('runs of real agents', () => {
  test.each(agents)(
    '%s fixes a failing test in two attempts, metered, with a receipt (RR-21, RR-44)',
    async (name, folder) => {
      await withAgent([name, folder], { script: turnFor }, async ({ json }, root) => {
        const words = ['make sum add', '--agent', name, '--check', 'node --test'];
        const done = await json('run', ...words);
        expect(done).toMatchObject({ status: 'complete', verification: 'passed' });
        const shown = await json('show', String(done['id']));
        expect(shown).toMatchObject({
          spent: { source: 'metered', costUsd: expect.any(Number) },
          receipt: expect.any(String),
          attempts: [{ agentVersion: saysVersion }, { agentVersion: saysVersion }],
        });
        const { spent } = shown as { readonly spent: { readonly tokensIn: number } };
        expect(spent.tokensIn).toBeGreaterThan(0);
        expect(runGit(root, 'show', `${String(shown['head'])}:sum.mjs`)).toContain('a + b');
      });
    },
  );

  test.each(asking)(
    'what %s asks leave for reaches a human, whose word reaches the agent (RR-3)',
    async (name, folder) => {
      const script = (asked: ModelRequest) => withSign(asked, '+');
      await withAgent([name, folder], { script, permissions: 'ask' }, async (run) => {
        const words = ['make sum add', '--agent', name, '--check', 'node --test', '--detach'];
        const id = String((await run.json('run', ...words))['id']);
        await run.json('wait', id, '--timeout', '300s');
        expect(await run.json('show', id)).toMatchObject({
          status: 'waiting_human',
          approval: { kind: 'permission' },
        });
        const approved = await run.onTerminal('approve', id, '--for-run', '--yes');
        expect(approved.stdout).toContain('the agent goes on');
        expect(await run.json('wait', id, '--timeout', '300s')).toMatchObject({
          runs: [{ status: 'complete', verification: 'passed' }],
        });
      });
    },
  );
});
