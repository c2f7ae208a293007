/**
 * Real agent CLIs for lanes of tests and for demonstrations: the versions that `test/agents/<cli>`
 * pins, each with its own lock, installed into the user's cache and nowhere else, once per lock.
 *
 *   node tools/agent-clis.mjs codex gemini    prints `name folder` a line; without names: of all
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const agentClis = ['claude', 'codex', 'opencode', 'gemini', 'pi', 'qwen', 'copilot'];

const pins = fileURLToPath(new URL('../test/agents/', import.meta.url));
const installMsMax = 10 * 60_000;

/** Where the pinned CLI is installed, or would be. */
export function agentFolder(name) {
  const lock = readFileSync(join(pins, name, 'package-lock.json'));
  const digest = createHash('sha256').update(lock).digest('hex').slice(0, 12);
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');
  return join(cache, 'pawl', 'agents', `${name}-${digest}-${process.arch}`);
}

/** The folder whose `node_modules/.bin` holds the CLI. @throws when npm cannot install it. */
export function installedAgent(name, say = () => {}) {
  const pin = join(pins, name);
  const folder = agentFolder(name);
  if (existsSync(folder)) return folder;
  say(`installing ${name} into ${folder}`);
  // Whole or not at all: several may install at once, and one may be ended in between.
  const half = `${folder}.${process.pid}`;
  mkdirSync(half, { recursive: true, mode: 0o700 });
  try {
    for (const file of ['package.json', 'package-lock.json'])
      cpSync(join(pin, file), join(half, file));
    npmCi(half);
    if (!existsSync(folder)) renameSync(half, folder);
  } finally {
    rmSync(half, { recursive: true, force: true });
  }
  return folder;
}

function npmCi(cwd) {
  const words = ['ci', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
  const run = spawnSync('npm', words, {
    ...{ cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], timeout: installMsMax },
    // One of them asks for a newer Node than its program needs, which is a native binary.
    env: { ...process.env, npm_config_engine_strict: 'false' },
  });
  if (run.error !== undefined) throw run.error;
  if (run.status !== 0) throw new Error(`npm ${words.join(' ')} in ${cwd}: ${run.stderr}`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const named = process.argv.slice(2);
  const unknown = named.filter((name) => !agentClis.includes(name));
  if (unknown.length > 0) throw new Error(`no such agent: ${unknown.join(', ')}`);
  for (const name of named.length === 0 ? agentClis : named) {
    const folder = installedAgent(name, (line) => process.stderr.write(`${line}\n`));
    process.stdout.write(`${name} ${folder}\n`);
  }
}
