/** What main composes for the command line; everything that costs is opened on first use. */
import type { AgentProbe } from '../ports/agent-probe.ts';
import type { Client } from '../ports/client.ts';
import type { Detection } from '../ports/detection.ts';
import type { DriverUnit } from '../ports/driver-unit.ts';
import type { Health, HealthCheck } from '../ports/health.ts';
import type { OperatorTokens } from '../ports/operator-tokens.ts';
import type { StoreAdmin } from '../ports/store-admin.ts';
import type { CriterionResult, Definition } from '../ports/words.ts';
import type { WorkerRegistry } from '../ports/worker-registry.ts';
import type { Workspace } from '../ports/workspace.ts';
import type { Io } from './io.ts';
import type { PrincipalFacts } from './principal.ts';

export interface CliOptions {
  /** Without node and script. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly version: string;
  readonly io: Io;
  /** `$PAWL_HOME`, resolved. */
  readonly home: string;
  /** Where the user's `config.yaml` lies, resolved. */
  readonly userConfigPath: string;
  /** The client of this machine's store, or of a server at that address; called at most once. */
  readonly connect: (server: string | null) => Promise<Client>;
  readonly workspace: () => Promise<Workspace>;
  readonly detection: () => Promise<Detection>;
  readonly tryBaseline: TryBaseline;
  /** What a user may have made instead of being refused. */
  readonly make: {
    /** Makes the folder a repository whose first commit holds everything that is not ignored. */
    readonly repository: (directory: string) => Promise<void>;
    /** An empty first commit; the files stay as they are. */
    readonly emptyCommit: (root: string) => Promise<void>;
  };
  /** Who types; a server says what the operator token is worth there. */
  readonly principal: (server: string | null) => Promise<PrincipalFacts>;
  readonly operatorTokens: () => Promise<OperatorTokens>;
  readonly service: () => Promise<DriverUnit>;
  readonly worker: WorkerMeans;
  readonly health: () => Promise<Health>;
  readonly probes: () => Promise<AgentProbe>;
  /** Of this machine's store, or of the database at that address. */
  readonly storeAdmin: (database: string | null) => Promise<StoreAdmin>;
  /** Trouble of pawl itself, seen at once: a store that takes no writes, a disk nearly full. */
  readonly trouble: () => Promise<readonly HealthCheck[]>;
  readonly verifyReceipt: VerifyReceipt;
  readonly demo: DemoPlaces;
  /** Asks a running server to take no new work, to hand over and to leave. */
  readonly drain: (server: string) => Promise<void>;
  /** Driver and endpoints, until the signal. @throws RequestError, WorldError: not started. */
  readonly serve: (
    request: ServeRequest,
    told: { readonly signal: AbortSignal; readonly log: (entry: ServeEntry) => void },
  ) => Promise<void>;
  /** How commands are printed: `pawl`, or `npx pawl` from a clone. */
  readonly called: string;
  /** Where a report of a bug of ours is written; answers with its path. */
  readonly reportBug: (error: unknown) => Promise<string>;
}

export interface ServeRequest {
  /** `postgres://…`; null: the store of this machine. */
  readonly database: string | null;
  /** `host:port`. */
  readonly listen: string;
  /** Paths of PEM files. */
  readonly tlsCert: string | null;
  readonly tlsKey: string | null;
  readonly insecure: boolean;
  /** Nothing is started on this machine: workers do all the work. */
  readonly elsewhere: boolean;
  /** Further names that clients call it by. */
  readonly hosts: readonly string[];
}

/** One line of the log of a server. */
export interface ServeEntry {
  readonly event: string;
  readonly level?: 'info' | 'error';
  readonly [fact: string]: unknown;
}

export interface WorkerMeans {
  /** Of this machine, for people. */
  readonly hostName: string;
  readonly registry: () => Promise<WorkerRegistry>;
  /** Does the work of a server until the signal. */
  readonly work: (request: WorkerRequest, told: WorkerTold) => Promise<void>;
}
export interface WorkerRequest {
  /** Of one store, the first is asked first; none: those that this machine is enrolled at. */
  readonly servers: readonly string[];
  /** Enrols with it first. */
  readonly code: string | null;
  readonly name: string;
  /** Null: as at its last start. */
  readonly labels: readonly string[] | null;
  /** Null: as it was enrolled. */
  readonly slots: number | null;
}
export interface WorkerTold {
  readonly signal: AbortSignal;
  readonly log: (line: string) => void;
}

/** Setup and checks on the base commit, without a run; kept for the runs that follow. */
export type TryBaseline = (request: {
  readonly definition: Definition;
  /** Told as they begin: `setup: npm ci`, `1 of 2: npm test in …`. */
  readonly progress: (line: string) => void;
  readonly signal: AbortSignal;
}) => Promise<BaselineReport>;

export interface BaselineReport {
  readonly outcome: 'red' | 'green' | 'unrunnable' | 'skipped';
  readonly setup: 'none' | 'done' | 'failed';
  /** One sentence. */
  readonly summary: string;
  readonly criteria: readonly CriterionResult[];
  readonly unrunnable: {
    readonly what: string;
    readonly found: string;
    readonly likely: string | null;
  } | null;
  /** What a failed setup said. */
  readonly message: string | null;
}

/**
 * A stranger's check of a receipt file: signature, commit, tree and, when asked, the check itself.
 */
export type VerifyReceipt = (request: {
  readonly receipt: string;
  /** PEM of the public key; null: the key of this machine. */
  readonly key: string | null;
  /** Repository to compare commit and tree with; null: not compared. */
  readonly repository: string | null;
  readonly rerun: boolean;
}) => Promise<ReceiptReport>;

export interface ReceiptReport {
  readonly ok: boolean;
  readonly checks: readonly {
    readonly name: string;
    readonly state: 'ok' | 'fail' | 'skipped';
    readonly detail: string;
  }[];
  /** The file of this machine's key, when that was the one to trust: what a stranger needs. */
  readonly publicKey: string | null;
}

export interface DemoPlaces {
  /** `examples/mutation-agent`: `agent.mjs`, and the templates `project` and `stuck`. */
  readonly examples: string;
  /** Absolute path of the node that runs the agent. */
  readonly node: string;
  /** $TMPDIR. */
  readonly temporary: string;
  /** Makes a folder a git repository whose one commit holds all of it. */
  readonly makeRepository: (directory: string) => Promise<void>;
  /** SIGKILL, for `--crash`; quiet when the process is gone already. */
  readonly kill: (pid: number) => void;
}
