/**
 * Runs turns of an agent for the conformance suite as a lane host runs them: real processes in
 * their containment, a real models door before the scripted server, a private home. The operator
 * around it has secrets in his shell and an empty home of his own, which nothing must touch.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Definition, Role } from '../../src/domain/definition/definition.ts';
import { modelsDoor } from '../../src/doors/models/door.ts';
import { laneServices } from '../../src/doors/models/lane-services.ts';
import { memoryBudget } from '../../src/doors/models/memory-budget.ts';
import { nodeClock } from '../../src/host/clock.ts';
import { nodeProcesses } from '../../src/host/processes.ts';
import type { Adapter, TurnEnd } from '../../src/ports/agent.ts';
import type { OpenLaneModelsDoor } from '../../src/ports/models-door.ts';
import type { ContainedProcess, Processes } from '../../src/ports/processes.ts';
import type {
  AgentLanes,
  Conversation,
  SeenTurn,
  StartedProgram,
  TurnRequest,
} from '../../src/testing/index.ts';
import { run } from './lane-rig.ts';
import { benchPrefix } from './left-behind.ts';
import { type Outside, openOutside } from './outside.ts';
import { endProcess, processesOf } from './processes.ts';

export interface BenchOptions {
  readonly adapter: (role: Role) => Adapter;
  readonly role: Pick<Role, 'agent' | 'model'>;
  /** Whose API the agent speaks. */
  readonly vendor: 'anthropic' | 'openai' | 'google';
  readonly permissions?: Definition['permissions'] | undefined;
  /** Folders before the usual PATH. */
  readonly path?: readonly string[];
  /** False: no proxy is named to it; then the resolver alone counts. */
  readonly isProxied?: boolean | undefined;
  /** Asks the program for its version. */
  readonly version?: readonly string[];
  /** Names of the operator's environment that his policy lets through. */
  readonly allow?: readonly string[];
  /** Another host's; what it keeps goes into the folder. */
  readonly processes?: (stateDirectory: string) => Processes;
}

export interface AgentBench {
  readonly lanes: AgentLanes;
  /** A folder for whoever uses the bench; goes with it. */
  readonly directory: string;
  /** Ends what is left, and says what it was. */
  close(): Promise<readonly string[]>;
}

const addresses = {
  anthropic: (url: string) => ({ ANTHROPIC_BASE_URL: url }),
  openai: (url: string) => ({ OPENAI_BASE_URL: `${url}/v1` }),
  google: (url: string) => ({ GOOGLE_GEMINI_BASE_URL: url }),
};
const keys = {
  anthropic: 'ANTHROPIC_API_KEY',
  openai: 'OPENAI_API_KEY',
  google: 'GEMINI_API_KEY',
};
const realKey = 'sk-real-CANARY-5566778899';
const shellSecrets = {
  AWS_SECRET_ACCESS_KEY: 'CANARY-aws-0123456789',
  GITHUB_TOKEN: 'CANARY-github-0123456789',
  PAWL_OPERATOR_TOKEN: 'CANARY-operator-0123456789',
  SSH_AUTH_SOCK: '/tmp/CANARY-agent-socket',
};

/** Everything of it lies in one temporary folder. */
export async function agentBench(options: BenchOptions): Promise<AgentBench> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), benchPrefix)));
  const folder = (name: string) => {
    mkdirSync(join(root, name), { recursive: true, mode: 0o700 });
    return join(root, name);
  };
  const outside = await openOutside();
  const operatorHome = folder('operator');
  const keyFile = join(root, 'key');
  writeFileSync(keyFile, realKey, { mode: 0o600 });
  const path = [...(options.path ?? []), process.env['PATH'] ?? ''].join(':');
  const env = {
    ...{ PATH: path, HOME: operatorHome, LANG: 'C.UTF-8', TERM: 'dumb', USER: 'operator' },
    ...{ ...shellSecrets, ...(options.isProxied === false ? {} : outside.env) },
  };
  const hosted = options.processes ?? ((stateDirectory) => nodeProcesses({ stateDirectory }));
  const processes = hosted(folder('state'));
  const setting = { options, outside, root, env, keyFile, processes };
  let count = 0;
  return {
    directory: folder('suite'),
    lanes: {
      operator: { home: operatorHome, secrets: [realKey, ...Object.values(shellSecrets)] },
      version: async () => versionOf(options.version, folder('version'), env),
      async conversation() {
        count += 1;
        return conversation(setting, folder(`conversation-${count}`));
      },
    },
    async close() {
      const left = processesOf(root);
      for (const found of left) await endProcess(found);
      await outside.close();
      rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
      return left.map(({ command }) => command);
    },
  };
}

function versionOf(
  argv: readonly string[] | undefined,
  home: string,
  env: Readonly<Record<string, string>>,
): string | null {
  const [program, ...args] = argv ?? [];
  if (program === undefined) return null;
  const own = { ...env, HOME: home, ...Object.fromEntries(Object.keys(shellSecrets).map(none)) };
  const { error, stdout, stderr } = spawnSync(program, args, {
    ...{ env: own, encoding: 'utf8', timeout: 60_000 },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (error !== undefined) throw error;
  // Some say it where they say what is no answer (pi).
  return /\d+\.\d+\.\d+\S*/.exec(`${stdout}\n${stderr}`)?.[0] ?? null;
}

const none = (name: string) => [name, ''];

interface Setting {
  readonly options: BenchOptions;
  readonly outside: Outside;
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
  readonly keyFile: string;
  readonly processes: Processes;
}

function conversation(setting: Setting, root: string): Conversation {
  const tree = join(root, 'tree');
  mkdirSync(tree);
  const homes = join(root, 'homes');
  return {
    tree,
    home: join(homes, 'test', 'execute'),
    turn: (request) => turn(setting, request, { root, tree, homes }),
  };
}

interface Places {
  readonly root: string;
  readonly tree: string;
  readonly homes: string;
}

async function turn(setting: Setting, request: TurnRequest, places: Places): Promise<SeenTurn> {
  const { options, outside, root, env, keyFile } = setting;
  const seen = watching(setting, request);
  let isCancelled = false;
  void request.interrupt?.then((by) => {
    if (by === 'kill') seen.kill();
    else isCancelled = true;
  });
  const askedBefore = outside.asked()?.length ?? 0;
  const came = await run({
    agent: '',
    prompt: request.prompt,
    models: 'inject',
    lane: { ...options.role, command: null, args: [] },
    definition: {
      permissions: options.permissions ?? 'workspace',
      env: { allow: options.allow ?? [], set: addresses[options.vendor](request.models) },
    },
    secrets: { [keys[options.vendor]]: `file:${keyFile}` },
    beats: () => ({ ok: true, cancel: isCancelled, pause: false }),
    ttlMs: 6_000,
    isolation: 'worktree',
    workspace: { openTree: async () => openedTree(places) },
    dispatch: { sessionId: request.sessionId, deadlineMs: request.deadlineMs },
    options: {
      adapter: (role) => seen.adapter(options.adapter(role)),
      processes: seen.processes,
      modelsDoor: hastyDoor,
      spoolDirectory: join(places.root, 'spool'),
      homesDirectory: places.homes,
      env,
      spans: { graceMs: 1_000, completingMs: 5_000, closingMs: 3_000, watchMs: 200 },
    },
  });
  return {
    result: came.result ?? null,
    exit: came.exit.how,
    ...seen.seen(),
    alive: processesOf(root).map(({ pid, command }) => `${pid} ${command.slice(0, 200)}`),
    asked: outside.asked()?.slice(askedBefore) ?? null,
  };
}

function openedTree({ root, tree }: Places) {
  const isolation = 'worktree' as const;
  return { directory: tree, root, branch: 'b', base: null, created: false, isolation };
}

/** A door whose patience is a test's. */
const hastyDoor: OpenLaneModelsDoor = async ({
  mode,
  secrets,
  set,
  limits,
  onSignal,
  onFailure,
}) => {
  const { upstreams, withheld, env } = laneServices(mode, new Set(Object.keys(secrets)), set);
  const door = await modelsDoor({
    ...{ clock: nodeClock(), onFailure, credential: async (name) => secrets[name] ?? '' },
    spans: { firstByteStreamedMs: 3_000, firstByteWholeMs: 3_000, idleMs: 3_000 },
  })({ mode, upstreams, onSignal, budget: memoryBudget(limits) });
  return { ...door, withheld, env: env(door.url) };
};

/** Stands between host, adapter and machine, and notes what passes. */
function watching({ processes: host }: Setting, request: TurnRequest) {
  let started: StartedProgram | null = null;
  let end: TurnEnd | null = null;
  let seeds: StartedProgram['seeds'] = [];
  let lane: ContainedProcess | null = null;
  return {
    kill: () => {
      if (lane !== null) process.kill(lane.pid, 'SIGKILL');
    },
    seen: () => ({ started, end }),
    adapter: (adapter: Adapter): Adapter => ({
      ...adapter,
      launch(setting) {
        const launch = adapter.launch({ ...setting, servers: request.servers });
        seeds = launch.seeds ?? [];
        const { talk } = launch;
        const heard = (said: ReturnType<typeof talk.begin>) => {
          for (const event of said.events) request.onSign(event);
          return said;
        };
        return {
          ...launch,
          talk: {
            ...talk,
            begin: () => heard(talk.begin()),
            line: (text) => heard(talk.line(text)),
            end(exit, resultFile) {
              end = talk.end(exit, resultFile);
              return end;
            },
          },
        };
      },
    }),
    processes: {
      ...host,
      async spawn(spec: Parameters<Processes['spawn']>[0]) {
        lane = await host.spawn({
          ...spec,
          onStdout(bytes) {
            request.onSign('bytes');
            spec.onStdout(bytes);
          },
        });
        started = { argv: spec.argv, env: spec.env, seeds };
        return lane;
      },
    },
  };
}
