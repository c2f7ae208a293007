/**
 * The canonical definition as this layer makes it: everything decided, defaults filled in. It is
 * structurally the domain's `Definition` (asserted where both are visible), declared here because
 * `contract` sees only the kernel.
 */

import type { Brand } from '../kernel/brand.ts';
import type { WorkDomain } from '../kernel/profiles.ts';
import type { StarterEnvironment } from '../kernel/starter-environment.ts';
import type { LivenessValue } from './liveness.ts';
import type { RecoveryValue } from './recovery-file.ts';

export type CommitId = Brand<string, 'Commit'>;

export interface DefinitionValue {
  readonly version: 1;
  /** The way of a run with a scripted lane and a verifier that runs nothing; absent: it is real. */
  readonly dryRun?: true;
  readonly intent: {
    readonly originalIntent: string;
    readonly inferredGoal: string | null;
    readonly addedContext: readonly string[];
    readonly verificationPlan: string;
  };
  readonly name: string;
  readonly project: ProjectFacts;
  readonly source: {
    readonly isolation: 'worktree' | 'none';
    readonly base: CommitId | null;
    readonly baseBranch: string | null;
    readonly includeChanges: boolean;
  };
  /** The project's file of settings as it was read, for people; absent: there was none. */
  readonly settings?: { readonly file: string; readonly digest: string };
  /** What picked the profiles of roles that named none; absent: nothing did. */
  readonly domain?: WorkDomain;
  /** Files that are made to be looked at, as globs; absent: none. */
  readonly artifacts?: readonly string[];
  readonly strategy: 'attempts';
  readonly roles: { readonly execute: RoleValue; readonly verify: RoleValue | null };
  readonly criteria: readonly CriterionValue[];
  readonly baseline: 'auto' | 'green-ok' | 'skip';
  readonly allowNoChange: boolean;
  readonly protected: readonly string[];
  readonly onProtected: 'park' | 'ask' | 'restore';
  readonly fileScope: readonly string[];
  readonly brakes: BrakesValue;
  readonly workspace: {
    readonly setup: { readonly command: string; readonly timeoutMs: number } | null;
    readonly copy: readonly string[];
    readonly submodules: 'auto' | 'on' | 'off';
  };
  readonly verifyTree: 'clean' | 'lane';
  readonly verifyOn?: 'other-worker';
  readonly labels?: readonly string[];
  readonly permissions: 'workspace' | 'trusted' | 'ask';
  readonly onPermission?: 'deny' | 'stop' | 'ask';
  readonly onLimit: 'wait' | 'stop' | 'ask';
  readonly agentConfig?: 'clean' | 'user';
  readonly env: {
    readonly allow: readonly string[];
    readonly set: Readonly<Record<string, string>>;
    /** What of the starter's environment goes with the run; secrets by name alone (ADR 0011). */
    readonly started?: StarterEnvironment;
    /** PATH of who started the run, so that agents and checks find the programs that he sees. */
    readonly path?: string;
  };
  readonly secrets: Readonly<Record<string, string>>;
  readonly context: readonly string[];
  readonly approvals: { readonly expireMs: number | null };
  readonly recovery: RecoveryValue;
  readonly concurrency: { readonly group: string; readonly max: number };
  readonly land: { readonly method: 'squash' | 'merge' | 'ff'; readonly reverify: boolean };
  readonly nestedRuns: number;
  readonly keepAwake: boolean;
  readonly notify?: NotifyValue;
  readonly liveness?: LivenessValue;
}

export interface NotifyValue {
  readonly on: readonly ('needs_operator' | 'waiting_human' | 'complete' | 'limit')[];
  readonly to: readonly NoticeTargetValue[];
}
export type NoticeTargetValue =
  | { readonly kind: 'desktop' }
  | { readonly kind: 'ntfy'; readonly url: string; readonly token: string | null }
  | { readonly kind: 'webhook'; readonly url: string; readonly secret: string | null }
  | { readonly kind: 'command'; readonly argv: readonly string[] };

export interface ProjectFacts {
  readonly root: string;
  readonly name: string;
  readonly kind: 'user' | 'demo';
  readonly cwd: string;
}
export interface RoleValue {
  readonly profile: string;
  readonly agent: string;
  readonly command: readonly string[] | null;
  readonly model: string | null;
  readonly args: readonly string[];
  /** What the project tells this role, beside what its profile is told. */
  readonly prompt?: string;
  readonly protocol?: 'acp' | 'pty';
  readonly models?: 'inject' | 'pass';
  readonly labels?: readonly string[];
}
export interface BrakesValue {
  readonly attempts: number | null;
  readonly costUsd: number | null;
  readonly tokens: number | null;
  readonly steps: number | null;
  readonly timeMs: number | null;
  readonly attemptTimeMs: number;
  readonly waitTimeMs: number;
  readonly errorSignals: number;
}
interface Common {
  readonly timeoutMs: number;
}
export type CriterionValue =
  | (Common & {
      readonly kind: 'test' | 'build' | 'lint' | 'command';
      readonly command: string;
      readonly expectExit: number;
      readonly testsRunMoreThan: number | null;
      readonly redFirst: boolean;
    })
  | (Common & { readonly kind: 'fileExists'; readonly path: string })
  | (Common & { readonly kind: 'oracle' | 'observer'; readonly question: string })
  | (Common & { readonly kind: 'manual'; readonly look: string });
