/**
 * The immutable definition of a run: what was asked, by whom it is done, who judges it, and what
 * holds it back. The snapshot taken at start is an artifact; later edits of files apply to new
 * runs. Parsing and defaults are the business of `contract`; here everything is decided and
 * present.
 */
import type { WorkDomain } from '../../kernel/profiles.ts';
import type { StarterEnvironment } from '../../kernel/starter-environment.ts';
import type { Commit } from '../ids.ts';
import type { LivenessOverrides } from '../liveness/figures.ts';
import type { RecoveryTerms } from '../recovery/figures.ts';

export interface Definition {
  readonly version: 1;
  /** The way of a run with a scripted lane and a verifier that runs nothing; absent: it is real. */
  readonly dryRun?: true;
  /** The four provenance fields stay apart (XP-7). */
  readonly intent: Intent;
  readonly name: string;
  readonly project: Project;
  readonly source: Source;
  /** The project's file of settings as it was read, for people; absent: there was none. */
  readonly settings?: { readonly file: string; readonly digest: string };
  /** What picked the profiles of roles that named none; absent: nothing did. */
  readonly domain?: WorkDomain;
  /** Globs of files that are made to be looked at; the files stay the project's. Absent: none. */
  readonly artifacts?: readonly string[];
  readonly strategy: 'attempts';
  readonly roles: { readonly execute: Role; readonly verify: Role | null };
  readonly criteria: readonly Criterion[];
  readonly baseline: 'auto' | 'green-ok' | 'skip';
  readonly allowNoChange: boolean;
  readonly protected: readonly string[];
  readonly onProtected: 'park' | 'ask' | 'restore';
  /** Globs; writes outside are drift. Empty: everything is in scope. */
  readonly fileScope: readonly string[];
  readonly brakes: Brakes;
  readonly workspace: WorkspacePolicy;
  readonly verifyTree: 'clean' | 'lane';
  /** The worker that made the work does not verify it. Absent: any may. */
  readonly verifyOn?: 'other-worker';
  /** What a worker must have to do any job of the run; absent: nothing. */
  readonly labels?: readonly string[];
  readonly permissions: 'workspace' | 'trusted' | 'ask';
  /**
   * What the agent asks for beyond that is denied and it goes on, or the run is parked, or a human
   * is asked while it waits. Absent: deny.
   */
  readonly onPermission?: 'deny' | 'stop' | 'ask';
  readonly onLimit: 'wait' | 'stop' | 'ask';
  /** Whether agents use what their user has for them beside the login. Absent: clean, not. */
  readonly agentConfig?: 'clean' | 'user';
  readonly env: {
    readonly allow: readonly string[];
    readonly set: Readonly<Record<string, string>>;
    /** PATH of who started the run, so that agents and checks find the programs that he sees. */
    readonly path?: string;
    /** What else of his environment goes with the run; secrets by name alone (ADR 0011). */
    readonly started?: StarterEnvironment;
  };
  /** Name → CredentialRef (`env:NAME`, `file:PATH`, `command:ARGV`); values are never stored. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly context: readonly string[];
  readonly approvals: { readonly expireMs: number | null };
  readonly recovery: RecoveryTerms;
  /** Runs at once in one group; further ones wait `no_capacity`. */
  readonly concurrency: { readonly group: string; readonly max: number };
  readonly land: { readonly method: 'squash' | 'merge' | 'ff'; readonly reverify: boolean };
  readonly nestedRuns: number;
  readonly keepAwake: boolean;
  /** What differs from the figures of the rule of liveness; absent: nothing. */
  readonly liveness?: LivenessOverrides;
  /** Who is told, and of what; absent: nobody. */
  readonly notify?: NotifyPolicy;
}

export type NoticeKind = 'needs_operator' | 'waiting_human' | 'complete' | 'limit';

export interface NotifyPolicy {
  readonly on: readonly NoticeKind[];
  /** At most 8. */
  readonly to: readonly NoticeTarget[];
}
/** Where a notice goes. References are CredentialRefs: their values are never stored. */
export type NoticeTarget =
  | { readonly kind: 'desktop' }
  | { readonly kind: 'ntfy'; readonly url: string; readonly token: string | null }
  | {
      readonly kind: 'webhook';
      /** `https://…`, or a reference to it: the address of a hook often is its secret. */
      readonly url: string;
      /** Reference to the key of the signature; null: not signed. */
      readonly secret: string | null;
    }
  | { readonly kind: 'command'; readonly argv: readonly string[] };

export interface Intent {
  readonly originalIntent: string;
  readonly inferredGoal: string | null;
  readonly addedContext: readonly string[];
  readonly verificationPlan: string;
}

export interface Project {
  /** Absolute path of the repository root (or of the folder, when it is not a repository). */
  readonly root: string;
  readonly name: string;
  readonly kind: 'user' | 'demo';
  /** Folder of the manifest relative to the root, in which setup and checks run; '' is the root. */
  readonly cwd: string;
}

export interface Source {
  readonly isolation: 'worktree' | 'none';
  /** Null only without git. */
  readonly base: Commit | null;
  /** The branch that base was taken from, for `land`; null when detached or without git. */
  readonly baseBranch: string | null;
  readonly includeChanges: boolean;
}

export interface Role {
  readonly profile: string;
  readonly agent: string;
  /** The argv template of a command lane (SL-75, SL-76); null for an agent that has an adapter. */
  readonly command: readonly string[] | null;
  readonly model: string | null;
  readonly args: readonly string[];
  /** What the project tells this role, beside what its profile is told; absent: nothing. */
  readonly prompt?: string;
  /**
   * How the command is spoken with: over the Agent Client Protocol, or on a terminal. Absent: not
   * at all.
   */
  readonly protocol?: 'acp' | 'pty';
  /** How its calls of models go through the models door; absent: past it. */
  readonly models?: 'inject' | 'pass';
  /** What a worker must have besides to do this one; absent: nothing. */
  readonly labels?: readonly string[];
}

interface CriterionCommon {
  readonly timeoutMs: number;
}
export type CommandCriterion = CriterionCommon & {
  readonly kind: 'test' | 'build' | 'lint' | 'command';
  readonly command: string;
  readonly expectExit: number;
  /** Parser rule: fail unless more than this many tests ran; null: not asked. */
  readonly testsRunMoreThan: number | null;
  readonly redFirst: boolean;
};
export type Criterion =
  | CommandCriterion
  | (CriterionCommon & { readonly kind: 'fileExists'; readonly path: string })
  | (CriterionCommon & { readonly kind: 'oracle' | 'observer'; readonly question: string })
  | (CriterionCommon & { readonly kind: 'manual'; readonly look: string });

/** All finite or null (= not braked); at least one of attempts, cost and time is finite. */
export interface Brakes {
  readonly attempts: number | null;
  readonly costUsd: number | null;
  readonly tokens: number | null;
  readonly steps: number | null;
  /** Active time of the run. */
  readonly timeMs: number | null;
  readonly attemptTimeMs: number;
  readonly waitTimeMs: number;
  readonly errorSignals: number;
}

export interface WorkspacePolicy {
  readonly setup: { readonly command: string; readonly timeoutMs: number } | null;
  readonly copy: readonly string[];
  readonly submodules: 'auto' | 'on' | 'off';
}
