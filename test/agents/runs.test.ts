/**
 * Goal: each real agent does the main job. Method: the built program with `--agent` and a check,
 * the pinned agent behind the models door, and the scripted model, whose first fix is wrong, so
 * that the second attempt is earned. `npm run test:agents` installs them; without it there are
 * none.
 */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
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

/** Each attempt one call of its own tool, and then a word. */
function turnFor({ tools, toolText, userText, schema }: ModelRequest): Turn {
  if (tools.length === 0) return { text: sideAnswer(schema) };
  if (toolText !== null) return { text: 'All tests pass now.' };
  const sign = userText.includes('This is attempt 2') ? '+' : '*';
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

describe.skipIf(Object.keys(installed).length === 0)('runs of real agents', () => {
  test.each(Object.entries(installed))(
    '%s fixes a failing test in two attempts, metered, with a receipt (RR-21, RR-44)',
    async (name, folder) => {
      const cli = agentClis[name];
      expect(cli, `${name} has no adapter yet`).toBeDefined();
      if (cli === undefined) return;
      const { key, address, path } = services[cli.vendor];
      const server = await modelServer({ script: { '': turnFor } });
      try {
        const keyFile = join(it.root, 'key');
        writeFileSync(keyFile, 'sk-real-CANARY-5566778899', { mode: 0o600 });
        const root = projectOf(`roles: { execute: { login: key, model: ${cli.model} } }
permissions: ${cli.permissions ?? 'workspace'}
secrets: { ${key}: "file:${keyFile}" }
env: { set: { ${address}: "${server.url}${path}" } }
`);
        const env = { PATH: `${join(folder, 'node_modules/.bin')}:${process.env['PATH'] ?? ''}` };
        const words = ['make sum add', '--agent', name, '--check', 'node --test', '--json'];
        const done = await it.run(['run', ...words], { cwd: root, env, timeoutMs: 900_000 });
        expect(done.json()).toMatchObject({ status: 'complete', verification: 'passed' });
        const short = String(done.json()['id']);
        const shown = (await it.run(['show', short, '--json'], { cwd: root })).json();
        expect(shown).toMatchObject({
          spent: { source: 'metered', costUsd: expect.any(Number) },
          receipt: expect.any(String),
          attempts: [{}, {}],
        });
        const { spent } = shown as { readonly spent: { readonly tokensIn: number } };
        expect(spent.tokensIn).toBeGreaterThan(0);
        expect(runGit(root, 'show', `${String(shown['head'])}:sum.mjs`)).toContain('a + b');
      } finally {
        await server.close();
      }
    },
  );
});
