/**
 * Holds the pinned real agent CLIs to the clauses of the conformance suite, and prints the table
 * agent × clause. Where root allows it, all of it runs without a network, before a resolver that
 * counts, so that whoever asks for the world outside is seen; elsewhere only a proxy counts.
 *
 *   npm run test:agents                        all: a run of each, its user's set-up, all clauses
 *   npm run test:agents -- codex C0 C8         one of them, two clauses and those that they need
 *   npm run test:agents -- --quick             claude, codex, opencode, gemini: C0–C4 and C8
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { agentClis, installedAgent } from './agent-clis.mjs';

const quickNames = ['claude', 'codex', 'opencode', 'gemini'];
const quickClauses = ['C0', 'C1', 'C2', 'C3', 'C4', 'C8'];

const words = process.argv.slice(2);
const isQuick = words.includes('--quick');
const isClause = (word) => /^(C\d+|F:\w+)$/.test(word);
const unknown = words.filter(
  (word) => word !== '--quick' && !isClause(word) && !agentClis.includes(word),
);
if (unknown.length > 0) {
  process.stderr.write(`no such agent or clause: ${unknown.join(', ')}\n`);
  process.stderr.write(`agents: ${agentClis.join(', ')}; clauses: C0 to C12, F:<failure>\n`);
  process.exit(2);
}
const named = words.filter((word) => agentClis.includes(word));
const clauses = words.filter(isClause);
const wanted = named.length > 0 ? named : isQuick ? quickNames : agentClis;
/** What `npm test` runs is counted by `.ci/run`. */
const reported = isQuick
  ? ['--reporter=default', '--reporter=json', '--outputFile.json=reports/vitest-agents.json']
  : [];
const say = (line) => process.stderr.write(`${line}\n`);
const folders = Object.fromEntries(wanted.map((name) => [name, installedAgent(name, say)]));

const folder = mkdtempSync(join(tmpdir(), 'pawl-test-agents-'));
try {
  const around = cutOff(folder);
  if (around === null) say('the network cannot be cut off here: a proxy counts, no resolver');
  const vitest = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url));
  // A run goes through the built program; whoever names clauses asks for those alone.
  const isWhole = !isQuick && clauses.length === 0;
  if (isWhole) build();
  const whole = ['clis', 'runs', 'personal'].map((name) => `test/agents/${name}`);
  const files = isWhole ? whole : ['test/agents/clis'];
  const tests = ['run', '--project', 'agents', ...files];
  const run = [process.execPath, vitest, ...tests, ...reported];
  const [program, ...args] = [...(around ?? []), ...run];
  const only = clauses.length > 0 ? clauses : isQuick ? quickClauses : [];
  const env = {
    ...process.env,
    PAWL_TEST_AGENTS: JSON.stringify(folders),
    PAWL_TEST_CLAUSES: only.join(','),
    ...(around === null ? {} : { PAWL_TEST_CUT_OFF: '1' }),
  };
  process.exitCode = spawnSync(program, args, { env, stdio: 'inherit' }).status ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function build() {
  const script = fileURLToPath(new URL('build.mjs', import.meta.url));
  const { status } = spawnSync(process.execPath, [script], { stdio: 'inherit' });
  if (status !== 0) throw new Error('the program could not be built');
}

/** A command line before the others: loopback alone, and names asked of it. Null: not allowed. */
function cutOff(directory) {
  if (process.platform !== 'linux' || process.getuid() !== 0) return null;
  const resolv = join(directory, 'resolv.conf');
  writeFileSync(resolv, 'nameserver 127.0.0.1\noptions timeout:1 attempts:1\n');
  const script = `ip link set lo up && mount --bind '${resolv}' /etc/resolv.conf && exec "$@"`;
  const around = ['unshare', '--net', '--mount', 'sh', '-c', script, 'sh'];
  return spawnSync(around[0], [...around.slice(1), 'true']).status === 0 ? around : null;
}
