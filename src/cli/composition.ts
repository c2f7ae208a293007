/** What main composes for the command line; everything that costs is opened on first use. */
import type { Client } from '../ports/client.ts';
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
  /** Opens the store and the engine's client; called at most once. */
  readonly connect: () => Promise<Client>;
  readonly workspace: () => Promise<Workspace>;
  readonly principal: () => Promise<PrincipalFacts>;
  readonly verifyReceipt: VerifyReceipt;
  readonly demo: DemoPlaces;
  /** How commands are printed: `pawl`, or `npx pawl` from a clone. */
  readonly called: string;
  /** Where a report of a bug of ours is written; answers with its path. */
  readonly reportBug: (error: unknown) => Promise<string>;
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
