/** Runs the command line in this process over a scripted client, checkout and terminal. */
import type { BaselineReport, CliOptions } from '../../src/cli/composition.ts';
import { runCli } from '../../src/cli/main.ts';
import type { PrincipalFacts } from '../../src/cli/principal.ts';
import { WorldError } from '../../src/kernel/errors.ts';
import type { AgentProbe } from '../../src/ports/agent-probe.ts';
import type { DriverUnit } from '../../src/ports/driver-unit.ts';
import type { Health, HealthCheck } from '../../src/ports/health.ts';
import type { OperatorTokens } from '../../src/ports/operator-tokens.ts';
import type { StoreAdmin } from '../../src/ports/store-admin.ts';
import type { Checkout, Workspace } from '../../src/ports/workspace.ts';
import { commit } from './example-run.ts';
import { type ScriptedClient, scriptedClient } from './scripted-client.ts';
import { nothingTried, type ScriptedMachine, scriptedDetection } from './scripted-detection.ts';
import { type ScriptedIo, type ScriptedIoOptions, scriptedIo } from './scripted-io.ts';

export interface Typed {
  readonly exit: number;
  readonly out: string;
  readonly err: string;
  readonly io: ScriptedIo;
  readonly client: ScriptedClient;
  /** Repositories and commits that were made. */
  readonly made: readonly string[];
}
export interface CliScript {
  readonly client?: ScriptedClient;
  readonly io?: ScriptedIo;
  readonly terminal?: ScriptedIoOptions;
  readonly principal?: Partial<PrincipalFacts>;
  /** An error: git cannot tell. */
  readonly checkout?: Partial<Extract<Checkout, { git: true }>> | { readonly git: false } | Error;
  readonly env?: Readonly<Record<string, string>>;
  /** What detection finds; nothing, and every program, unless told. */
  readonly machine?: ScriptedMachine;
  readonly baseline?: BaselineReport;
  readonly tokens?: OperatorTokens;
  readonly service?: DriverUnit;
  readonly worker?: Partial<CliOptions['worker']>;
  readonly health?: Health;
  readonly probes?: AgentProbe;
  readonly storeAdmin?: (database: string | null) => StoreAdmin;
  readonly trouble?: readonly HealthCheck[];
  readonly drain?: CliOptions['drain'];
  /** `$PAWL_HOME`; a folder that is not there unless told. */
  readonly home?: string;
  /** How commands are printed; `pawl` unless told. */
  readonly called?: string;
  /** Refs that keep unrecorded work. */
  readonly kept?: readonly string[];
  /** The repository no longer has what was recorded. */
  readonly isCommitGone?: true;
  /** Of the paths asked for, those that git ignores. */
  readonly ignored?: readonly string[];
}

const nothingSaid = (): Promise<never> => Promise.reject(new Error('not a part of this test'));
const noTokens: OperatorTokens = {
  create: nothingSaid,
  list: async () => [],
  revoke: async () => false,
  check: nothingSaid,
};
const noService: DriverUnit = {
  manager: 'none',
  unit: null,
  byHand: 'PAWL_HOME=/state node driver.js --stay',
  install: nothingSaid,
  uninstall: nothingSaid,
  start: nothingSaid,
  stop: nothingSaid,
  isInstalled: async () => false,
};
const noWorkers: CliOptions['worker'] = {
  hostName: 'here',
  registry: async () => ({
    enroll: nothingSaid,
    list: async () => [],
    revoke: async () => false,
  }),
  work: nothingSaid,
};
const noHealth: Health = {
  machine: async () => [],
  store: async () => [],
  marked: async () => [],
  notifier: () => ({ label: ({ kind }) => kind, deliver: nothingSaid }),
};

export const human: PrincipalFacts = {
  stdinIsTerminal: true,
  stdoutIsTerminal: true,
  ancestry: 'clean',
  foundName: null,
  foundVariable: null,
  operatorToken: null,
  login: 'me',
};
export const claude: PrincipalFacts = {
  ...human,
  stdinIsTerminal: false,
  stdoutIsTerminal: false,
  ancestry: 'agent',
  foundName: 'claude',
  foundVariable: 'CLAUDECODE',
};

export async function typed(line: readonly string[], script: CliScript = {}): Promise<Typed> {
  const client = script.client ?? scriptedClient();
  const io = script.io ?? scriptedIo(script.terminal);
  const made: string[] = [];
  const options: CliOptions = {
    argv: line,
    env: script.env ?? {},
    cwd: '/home/me/dates',
    version: '0.1.0',
    io,
    home: script.home ?? '/state',
    userConfigPath: '/home/me/.config/pawl/config.yaml',
    called: script.called ?? 'pawl',
    connect: async () => client,
    workspace: async () => scriptedWorkspace(script),
    detection: async () => scriptedDetection(script.machine, io.files),
    tryBaseline: async () => script.baseline ?? nothingTried,
    make: {
      repository: async () => {
        made.push('repository');
      },
      emptyCommit: async () => {
        made.push('empty commit');
      },
    },
    principal: async () => ({ ...human, ...script.principal }),
    operatorTokens: async () => script.tokens ?? noTokens,
    worker: { ...noWorkers, ...script.worker },
    service: async () => script.service ?? noService,
    health: async () => script.health ?? noHealth,
    probes: async () => script.probes ?? { probe: nothingSaid, last: async () => null },
    storeAdmin: async (database) => script.storeAdmin?.(database) ?? nothingSaid(),
    trouble: async () => script.trouble ?? [],
    serve: async (_request, { log }) => log({ event: 'listening' }),
    drain: async (server) => script.drain?.(server),
    verifyReceipt: async () => ({
      ok: false,
      checks: [
        { name: 'signature', state: 'ok', detail: 'by this machine' },
        { name: 'tree', state: 'fail', detail: 'another tree' },
      ],
      publicKey: null,
    }),
    demo: {
      examples: '/examples',
      node: '/bin/node',
      temporary: '/tmp',
      makeRepository: async () => undefined,
      kill: () => undefined,
    },
    reportBug: async () => '/state/reports/1.txt',
  };
  const exit = await runCli(options);
  return { exit, out: io.written(), err: io.errors(), io, client, made };
}

/** Only what the commands ask for; anything else is a bug of the test. */
function scriptedWorkspace(script: CliScript): Workspace {
  const told = script.checkout instanceof Error ? undefined : script.checkout;
  const checkout: Checkout =
    told?.git === false
      ? { git: false, root: '/home/me/dates' }
      : {
          git: true,
          root: '/home/me/dates',
          bare: false,
          head: commit('3'),
          branch: 'main',
          dirty: [],
          upstream: null,
          submodules: false,
          linkedWorktree: false,
          ...told,
        };
  const known: Partial<Workspace> = {
    inspect: async () => {
      if (script.checkout instanceof Error) throw script.checkout;
      return checkout;
    },
    ignored: async (_root, paths) =>
      paths.filter((path) => script.ignored?.includes(path) === true),
    resolve: async (_root, revision) =>
      revision === 'HEAD' || revision === 'main' ? commit('3') : null,
    snapshotCheckout: async () => commit('5'),
    keptRefs: async () => (script.kept ?? []).map((ref) => ({ ref, commit: commit('6') })),
    treeOf: async (_root, of) => {
      if (script.isCommitGone === true) throw new WorldError('git_failed', `bad object ${of}`);
      return `tree of ${of.slice(0, 7)}`;
    },
    remote: async () => ({ name: 'origin', url: 'git@example.com:me/dates.git' }),
    locate: async () => '/state/worktrees/dates/fix-date-parsing-7k2m',
    snapshot: async () => ({
      commit: commit('7'),
      equalsBase: false,
      filesChanged: 1,
      leftOut: [],
    }),
    changedFiles: async () => [
      { path: 'src/weeks.ts', status: 'modified', added: 6, removed: 2 },
      { path: 'test/parse.test.ts', status: 'modified', added: 46, removed: 12 },
    ],
    patch: async () => 'diff --git a/src/weeks.ts b/src/weeks.ts\n+\u001b[31mx\n',
  };
  return known as Workspace;
}
