/**
 * Servers and workers of the built program over one real PostgreSQL, each machine with a folder of
 * its own; a project whose agent writes down what it does in a witness outside of pawl; and what
 * the database itself says of it.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type Pawl, type PawlOptions, pawl, type Started } from '../support/pawl.ts';
import { asStranger } from '../support/postgres.ts';
import { processesOf, until } from '../support/processes.ts';
import { type Served, serve } from '../support/served.ts';
import { type Watched, watchedProject } from '../support/watched-project.ts';

const lifeMs = 15 * 60_000;

export interface Machine {
  readonly name: string;
  readonly own: Pawl;
  /** What the worker and its hosts said so far. */
  readonly said: () => string;
  stop(): Promise<void>;
}

export interface World {
  readonly database: string;
  readonly work: Watched;
  rows<Row>(sql: string, values?: readonly unknown[]): Promise<readonly Row[]>;
  /** Those of one world share the folder of their artifacts, and nothing else. */
  server(args?: { readonly listen?: string; readonly machine?: PawlOptions }): Promise<Server>;
  worker(name: string, server: string, machine?: PawlOptions): Promise<Machine>;
  /** Where the project lies. */
  readonly operator: Pawl;
  /** A command of the operator, who sits at the first server. */
  typed(line: readonly string[]): ReturnType<Pawl['run']>;
  /** Starts the run and leaves it. */
  start(name: string): Promise<void>;
  shown(name: string): Promise<Readonly<Record<string, unknown>>>;
  machines(): readonly Standing[];
  executions(): Promise<readonly ExecutionFact[]>;
  close(): Promise<void>;
}

export interface Standing {
  /** `server-1`, or the name of the worker. */
  readonly name: string;
  readonly root: string;
  processes: Pawl['processes'];
}

export interface Server extends Served, Pick<Standing, 'name' | 'root'> {
  readonly own: Pawl;
}

export interface ExecutionFact {
  readonly id: string;
  readonly role: string;
  readonly attempt: number;
  readonly status: string;
  readonly class: string | null;
}

/** `prepare` writes what a machine needs into its folder before anything of it starts. */
export async function openWorld(
  database: string,
  prepare: (name: string, root: string) => void = () => {},
): Promise<World> {
  const servers: Server[] = [];
  const workers: Machine[] = [];
  const operator = pawl();
  const work = watchedProject(operator.root);
  const rows = <Row>(sql: string, values: readonly unknown[] = []) =>
    asStranger<Row>(database, sql, values);
  const firstServer = () => {
    const [first] = servers;
    if (first === undefined) throw new Error('there is no server yet');
    return first;
  };
  const typed: World['typed'] = (line) =>
    firstServer().own.run(line, { cwd: work.directory, env: { PAWL_SERVER: firstServer().url } });
  return {
    ...{ database, work, operator, rows, typed },
    server: async ({ listen, machine } = {}) => {
      const own = servers[0]?.own ?? pawl(machine);
      const name = `server-${servers.length + 1}`;
      const root = join(own.root, name);
      mkdirSync(root);
      prepare(name, root);
      const insecure = listen === undefined ? [] : ['--insecure'];
      const args = ['--elsewhere', '--database', database, ...insecure];
      const env = { PAWL_TEST_MACHINE: root };
      const on = listen === undefined ? {} : { listen };
      const served = await serve(own, args, { ...on, env });
      const server = { ...served, own, name, root };
      servers.push(server);
      return server;
    },
    worker: async (name, server, machine) => {
      const one = await startWorker({ name, server, machine, database, prepare }, firstServer());
      workers.push(one);
      return one;
    },
    start: async (name) => {
      const { agent, witness, hold } = work;
      const command = `node ${agent} ${witness} ${hold}`;
      const line = ['run', `find ${name}`, '--name', name, '--agent-cmd', command];
      const started = await typed([...line, '--check', 'node check.mjs', '-d']);
      expect(started.exit, started.stdout + started.stderr).toBe(0);
    },
    shown: async (name) => (await typed(['show', name, '--json'])).json(),
    machines: () => [
      ...servers.map(({ name, root }) => ({ name, root, processes: () => processesOf(root) })),
      ...workers.map(({ name, own }) => ({ name, root: own.root, processes: own.processes })),
    ],
    executions: () =>
      rows<ExecutionFact>(
        'select id, role, attempt::int, status, class from executions order by seq',
      ),
    close: async () => {
      rmSync(work.hold, { force: true });
      for (const one of workers) await one.stop();
      for (const { started } of servers) started.child.kill('SIGTERM');
      for (const { started } of servers) await started.finished;
      for (const { own } of [...workers, ...servers.slice(0, 1)]) await own.close();
      await operator.close();
    },
  };
}

interface Starting {
  readonly name: string;
  readonly server: string;
  readonly machine: PawlOptions | undefined;
  readonly database: string;
  readonly prepare: (name: string, root: string) => void;
}

/** Enrolled by a code that a human gets at a terminal of the first server. */
async function startWorker(starting: Starting, { own: where }: Server): Promise<Machine> {
  const { name, server, machine, database, prepare } = starting;
  const env = { PAWL_DATABASE: database };
  const enrolled = await where.onTerminal(['worker', 'enroll', '--json'], { env });
  const { code } = enrolled.json() as { readonly code: string };
  const own = pawl(machine);
  prepare(name, own.root);
  const args = ['worker', '--server', server, '--code', code, '--name', name, '--slots', '1'];
  const started = own.start(args, { env: { PAWL_SERVER_INSECURE: '1' }, timeoutMs: lifeMs });
  let said = '';
  for (const stream of [started.child.stdout, started.child.stderr]) {
    stream?.on('data', (text: string) => {
      said += text;
    });
  }
  await started.seen(/, 1 slots/);
  const hosts = join(own.home, 'worker', 'log', 'worker-host.log');
  const told = () => said + (existsSync(hosts) ? readFileSync(hosts, 'utf8') : '');
  return { name, own, said: told, stop: () => stopWorker(own, started) };
}

async function stopWorker(own: Pawl, { child, finished }: Started): Promise<void> {
  child.kill('SIGTERM');
  await finished;
  await until(() => own.processes().length === 0, 20_000);
}

/** Executions whose agent has begun, in order. */
export const begunBy = ({ work }: World): readonly string[] =>
  work.wrote().flatMap(({ execution, what }) => (what === 'start' ? [execution] : []));

/** A fact of the spool of an execution on a worker; null: it is not there. */
export function spooled(
  { own }: Machine,
  execution: string,
  name: string,
): Readonly<Record<string, unknown>> | null {
  const folder = join(own.home, 'worker', 'spool', execution);
  const file = `${name}.json`;
  const isThere = readdirSync(join(own.home, 'worker', 'spool')).includes(execution);
  if (!isThere || !readdirSync(folder).includes(file)) return null;
  return JSON.parse(readFileSync(join(folder, file), 'utf8'));
}

/** As `until`, for what a question to the database tells. */
export async function untilTold(isTrue: () => Promise<boolean>, timeoutMs: number) {
  const end = performance.now() + timeoutMs;
  while (!(await isTrue())) {
    if (performance.now() > end) return false;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return true;
}
