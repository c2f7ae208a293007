/** One temporary directory with a state of its own, and the commands that are run in it. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../', import.meta.url));
const binary = join(root, 'dist/pawl.cjs');

export function openWorld({ isKept }) {
  const directory = mkdtempSync(join(tmpdir(), 'pawl-demo-real-'));
  const env = { ...process.env, PAWL_HOME: join(directory, 'state'), NO_COLOR: '1' };
  const identity = ['-c', 'user.name=demo', '-c', 'user.email=demo@example.invalid'];
  return {
    directory,
    /** Runs to its end and gives its stdout. @throws when it fails. */
    command(cwd, name, ...args) {
      const run = spawnSync(name, args, { cwd, env, encoding: 'utf8', maxBuffer: 1 << 28 });
      if (run.error !== undefined) throw run.error;
      if (run.status !== 0)
        throw new Error(`${name} ${args.join(' ')}: ${run.stdout}${run.stderr}`);
      return run.stdout;
    },
    /** Makes a folder a git repository whose one commit is what lies there. */
    commitAsBase(cwd, message) {
      for (const args of [
        ['init', '-q', '-b', 'main'],
        ['add', '-A'],
      ])
        this.command(cwd, 'git', ...args);
      this.command(cwd, 'git', ...identity, 'commit', '-q', '-m', message);
    },
    /** Runs pawl with its output shown; settles with its exit code. */
    pawl(cwd, ...args) {
      const child = spawn(process.execPath, [binary, ...args], {
        cwd,
        env,
        stdio: ['ignore', 'inherit', 'inherit'],
      });
      return new Promise((resolve, reject) => {
        child.once('error', reject);
        child.once('exit', resolve);
      });
    },
    pawlJson(cwd, ...args) {
      return JSON.parse(this.command(cwd, process.execPath, binary, ...args, '--json'));
    },
    heading(text) {
      process.stdout.write(`\n${text}\n${'─'.repeat(text.length)}\n`);
    },
    async close() {
      for (const pid of processesOf(directory)) process.kill(pid, 'SIGTERM');
      for (let looks = 0; looks < 200 && processesOf(directory).length > 0; looks += 1)
        await wait(50);
      if (isKept) process.stdout.write(`kept: ${directory}\n`);
      else rmSync(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
    },
  };
}

/**
 * The driver stays a while after its last run; it is ended by pid, and nobody else's is touched.
 */
function processesOf(directory) {
  if (!existsSync('/proc')) return [];
  const names = readdirSync('/proc').filter(
    (name) => /^\d+$/.test(name) && Number(name) !== process.pid,
  );
  return names.map(Number).filter((pid) => {
    try {
      const environment = readFileSync(`/proc/${pid}/environ`, 'utf8');
      return (
        environment.includes(directory) || readlinkSync(`/proc/${pid}/cwd`).startsWith(directory)
      );
    } catch {
      return false; // ended meanwhile, or another user's
    }
  });
}

/** The run must be complete, by a verified pass. Prints what `pawl show` knows of it. */
export async function expectVerified(world, cwd, exit) {
  const run = world.pawlJson(cwd, 'show', '@last');
  if (exit !== 0 || run.status !== 'complete') {
    await world.pawl(cwd, 'show', '@last');
    throw new Error(`the run ended with exit ${exit}, status ${run.status}`);
  }
  process.stdout.write(
    `→ ${run.name} ${run.short}: complete, verified on attempt ${run.attempt.n}\n`,
  );
  return run;
}
