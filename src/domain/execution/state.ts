/**
 * An execution is one leased process working on one attempt (DESIGN §4.2). It ends once; its id is
 * never used again. SUCCEEDED says only that a result was accepted: it completes nothing.
 *
 * Invariants (property tests in execution.property.test.ts are titled by them):
 *   X1. At most one grant is current; a grant is needed to leave DISPATCHED by work, or the late
 *       seal of the execution that it replaces (X7).
 *   X2. Only the current grant starts, checkpoints, seals or acknowledges a cancel.
 *   X3. A lost lease leads to RECOVERING, never to SUCCEEDED.
 *   X4. A terminal execution never changes again; the same seal again is acknowledged again.
 *   X5. UNKNOWN leaves by reconciliation alone, and nobody holds a grant of it; a check is never
 *       UNKNOWN, it is run again.
 *   X7. A late seal is adopted by the direct successor that nobody has claimed, for a turn of a
 *       lane, never for a verdict, and at most once an attempt.
 *   X6. The fence of a run never decreases and grows with every grant.
 *   X8. WAITING_HUMAN has exactly one request; it is answered once, or its execution ends.
 *   X9. Nudges are numbered without a gap, each is said once, and only to a lane that works.
 */
import type { Refusals } from '../../kernel/refusals.ts';
import type { PermissionAsk, PermissionDecision } from '../approval/permission.ts';
import type { Commit, Digest, ExecutionId, Fence, GrantId, Instant } from '../ids.ts';
import type { Verdict } from '../verdict/verdict.ts';

export type ExecutionStatus =
  | 'DISPATCHED'
  | 'LEASED'
  | 'RUNNING'
  | 'CHECKPOINTED'
  | 'SUCCEEDED'
  | 'FAILED'
  | 'CANCEL_REQUESTED'
  | 'CANCELLED'
  | 'EXHAUSTED'
  | 'WAITING_HUMAN'
  | 'UNKNOWN'
  | 'RECOVERING';

/**
 * `prepare` = setup and baseline; `execute` = a lane; `verify` = checks; `judge` = a verifying
 * lane; `consult` = a lane that is asked about a parked run.
 */
export type ExecutionRole = 'prepare' | 'execute' | 'verify' | 'judge' | 'consult';

export type FailureClass =
  | 'transport_lost'
  | 'lane_died'
  | 'window_exhausted'
  | 'rate_limited'
  | 'context_overflow'
  | 'auth_required'
  | 'human_blocker'
  | 'invalid_result'
  | 'unknown_outcome'
  | 'dispatch_failed'
  | 'setup_failed'
  | 'workspace_lost'
  | 'budget_exhausted'
  /** A write was refused for want of space: the machine's trouble, never the work's. */
  | 'disk_full'
  /** What a run starts from cannot be carried to a worker, whichever. */
  | 'source_unavailable';

/** How strongly the end of a process tree is proven (design/lane-host.md). */
export type ProofStrength = 'kernel' | 'marker+tree' | 'unproven';

/** Who holds a lease: compared with what the machine says (design/store.md, Leases and clocks). */
export interface Holder {
  readonly worker: string;
  readonly bootId: string;
  readonly pid: number;
  /** Start time of the pid in clock ticks since boot; a reused pid has another. */
  readonly started: number;
}

export interface Grant {
  readonly id: GrantId;
  readonly nonce: string;
  readonly fence: Fence;
  readonly holder: Holder;
}

/** What is the job of an execution; small, since it travels in an event. */
export interface Job {
  readonly role: ExecutionRole;
  readonly attempt: number;
  /** Index into the verification steps; null unless verify or judge. */
  readonly step: number | null;
  /** Execute: the snapshot to start from (null: base). The others: the recorded commit. */
  readonly commit: Commit | null;
  /** Execute: the same tree may be entered; false: a new one from `commit` (lane-host.md). */
  readonly tree: 'same' | 'new';
  /** Execute: what the conversation starts with. */
  readonly session: 'fresh' | 'resume';
  /** A human asked for protected or out-of-scope paths to go back to base (`--restore`). */
  readonly restore?: true;
  /** Consult: whose opinion it is. */
  readonly profile?: string;
  /** Who may take it; absent: anybody. */
  readonly placement?: Placement;
}

/** What a worker must be to take a job; see domain/placement. */
export interface Placement {
  /** All of them. */
  readonly labels?: readonly string[];
  /** This worker and no other. */
  readonly on?: string;
  /** Any but this one: it made what is to be judged. */
  readonly not?: string;
  /** No worker: what it starts from cannot be carried to one. */
  readonly here?: true;
}

export interface Execution {
  readonly id: ExecutionId;
  readonly n: number;
  readonly job: Job;
  readonly status: ExecutionStatus;
  readonly grant: Grant | null;
  readonly dispatchedAt: Instant;
  /** Digest of the accepted seal; the same one again is acknowledged again. */
  readonly seal: Digest | null;
  readonly class: FailureClass | null;
  readonly cancelAsked: boolean;
  /** Its lease was lost: whose seal may still be adopted, and what was counted as spent. */
  readonly lost?: { readonly grant: GrantId; readonly usage: Usage | null };
  /** Nobody claimed it: its result is the late seal of this one. */
  readonly adopted?: ExecutionId;
  /** What its lane waits for a human with; present exactly while WAITING_HUMAN. */
  readonly asked?: PermissionAsk;
  /** The newest answer, which its holder is told with every beat; absent: none yet. */
  readonly answer?: PermissionAnswer;
  /** How often its lane was nudged; its holder is told with every beat. Absent: never. */
  readonly nudges?: number;
}

export interface PermissionAnswer {
  readonly request: string;
  readonly decision: PermissionDecision;
  /** Of a denial; absent: of an older program. */
  readonly why?: 'rejected' | 'expired';
}

/** Of one execution, cumulative. The four token counts are disjoint. */
export interface Usage {
  readonly costUsd: number | null;
  readonly source: 'metered' | 'self-reported' | 'none';
  readonly tokensIn: number;
  readonly tokensOut: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

export interface LaneEnd {
  readonly exit: number | null;
  readonly signal: string | null;
  /** Which containment rung held, and how strongly the tree's end is proven. */
  readonly rung: string;
  readonly proof: ProofStrength;
  /** The last line that the lane printed, redacted, at most 200 characters. */
  readonly lastLine: string | null;
  /** What the agent said that its version is, at most 100 characters; absent: it said nothing. */
  readonly version?: string;
  /** Where its work tree lies on the machine of its worker; absent: on one of the server's. */
  readonly directory?: string;
}

/** What the worker of a job hands in. Free text and lists are in the artifact; facts are here. */
export type JobResult =
  | {
      readonly kind: 'prepared';
      readonly baseline: 'red' | 'green' | 'unrunnable' | 'skipped';
      readonly setup: 'done' | 'none' | 'failed';
      readonly summary: string;
      /** The baseline receipt. */
      readonly receipt: Digest | null;
      /** Full verdict of the baseline as an artifact (criteria results, counts). */
      readonly detail: Digest | null;
      /** What `detail` names: the outputs of the criteria. Absent: of an older program. */
      readonly outputs?: readonly Digest[];
    }
  | {
      readonly kind: 'executed';
      readonly outcome:
        | 'turn_ended'
        | 'question'
        | 'blocked'
        | 'limit'
        | 'invalid_result'
        | 'permission_denied';
      readonly commit: Commit | null;
      readonly equalsBase: boolean;
      readonly filesChanged: number;
      readonly findings: readonly Finding[];
      readonly usage: Usage;
      readonly end: LaneEnd;
      /** Question, blocker or invalid result in full. */
      readonly text: Digest | null;
      /** Why the result is not valid, or what was denied, in one redacted sentence. */
      readonly problem?: string;
      readonly limitUntil: Instant | null;
      readonly sessionId: string | null;
      readonly journal: Digest | null;
      /** Absent: its definition names no artifacts. */
      readonly artifacts?: AttestedFiles;
      /** Absent: it was refused nothing, or nothing is known of that. */
      readonly refused?: Refusals;
    }
  | {
      readonly kind: 'verified';
      readonly verdict: Digest;
      readonly facts: VerdictFacts;
      /** What `verdict` names: the outputs of the criteria. Absent: of an older program. */
      readonly outputs?: readonly Digest[];
      /** What a judging lane spent, where the models door metered it. */
      readonly usage?: Usage;
      /** Of a judging lane; absent: no lane judged, or an older program. */
      readonly journal?: Digest;
    }
  | {
      readonly kind: 'advised';
      /** The opinion, bounded and redacted. */
      readonly text: Digest;
      /** Absent: nobody told. */
      readonly usage?: Usage;
      /** Absent: it printed nothing else. */
      readonly journal?: Digest;
    }
  | {
      readonly kind: 'failed';
      readonly class: FailureClass;
      readonly detail: string;
      readonly proof: ProofStrength;
      readonly commit: Commit | null;
      readonly usage: Usage | null;
      readonly text: Digest | null;
      /** Its program ended by itself, in good order, before its turn was over. */
      readonly cleanExit?: true;
      /** Absent: it printed nothing, or is of an older program. */
      readonly journal?: Digest;
    };

/** The part of a {@link Verdict} that decides; the whole is an artifact. */
export type VerdictFacts = Pick<Verdict, 'outcome' | 'summary' | 'receipt' | 'commit'> & {
  readonly score: number | null;
  readonly failedTests: number | null;
  readonly passedTests: number | null;
  readonly flaky: boolean;
  /**
   * The checked tree equals the base: a pass over it is missing evidence (design/verification.md).
   */
  readonly equalsBase?: boolean;
  /**
   * What the checks run that the work itself changed (`check.sh`, `package.json#scripts.test`): a
   * pass then says what the agent wants it to say, unless a human allows the change (L-A11).
   */
  readonly checkChanged?: readonly string[];
};

/** What a turn left to be looked at, as it lay there when the turn had ended (EV-67). */
export interface AttestedFiles {
  /** A signed statement of all of them: paths, digests, sizes, who made them from what. */
  readonly statement: Digest;
  /** At most 20, with paths of at most 200 characters; `more` counts the rest. */
  readonly files: readonly {
    readonly path: string;
    readonly sha256: string;
    readonly bytes: number;
  }[];
  readonly more: number;
  /** Globs that no file fits, at most 20. */
  readonly missing: readonly string[];
  /** Files that fit and are not attested, at most 20, each with why. */
  readonly refused: readonly { readonly path: string; readonly why: string }[];
}

/** Something found about the work tree or the main checkout after a turn. */
export interface Finding {
  readonly kind:
    | 'drift'
    | 'protected'
    | 'foreign_write'
    | 'agent_commit'
    | 'checkout_moved'
    | 'refs_changed'
    | 'large_untracked'
    | 'submodule_uncommitted';
  /** At most 20 paths of at most 200 characters; `more` counts the rest. */
  readonly paths: readonly string[];
  readonly more: number;
  /**
   * Why, for paths where the name alone does not tell, or what brings it back (`refs_changed`, one
   * for each); at most 20, each of at most 200.
   */
  readonly notes?: readonly string[];
}
