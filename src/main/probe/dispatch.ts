/** What a lane host of a probe is told: one turn, in a folder that belongs to nobody. */
import type { Definition, Role } from '../../domain/definition/definition.ts';
import type { JobResult } from '../../domain/execution/state.ts';
import type { Digest, ExecutionId, GrantId, Instant, RunId } from '../../domain/ids.ts';
import type { Dispatch, DispatchIdentity, Plane } from '../../ports/plane.ts';
import type { TurnRequest } from '../../testing/agents/lanes.ts';

export interface ProbeTurn {
  readonly run: RunId;
  /** Counts the turns of the run. */
  readonly n: number;
  readonly role: Pick<Role, 'agent' | 'model'>;
  readonly tree: string;
  readonly request: Pick<TurnRequest, 'models' | 'prompt' | 'sessionId' | 'deadlineMs'>;
  /** Name → CredentialRef. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly at: Instant;
}

export function probeDispatch({ run, n, role, tree, request, secrets, at }: ProbeTurn): Dispatch {
  const execution = `${run}.${n}` as ExecutionId;
  return {
    ...identityOf(execution, role.agent),
    run,
    runName: 'probe',
    execution,
    n,
    job: {
      ...{ role: 'execute', attempt: 1, step: null, commit: null, tree: 'same' },
      session: request.sessionId === null ? 'fresh' : 'resume',
    },
    definition: {
      ...plain,
      roles: { execute: roleOf(role), verify: null },
      project: { root: tree, name: 'probe', kind: 'demo', cwd: '' },
      env: { allow: [], set: addressesOf(request.models) },
      secrets,
    },
    definitionDigest: '' as Digest,
    history: '',
    prompt: request.prompt,
    hints: [],
    sessionId: request.sessionId,
    deadlineMs: request.deadlineMs,
    allowedPaths: [],
    restore: false,
    criteria: [],
    dispatchedAt: at,
  };
}

function identityOf(execution: ExecutionId, adapter: string): DispatchIdentity {
  return {
    dispatchId: execution,
    idempotencyKey: execution,
    implementation: { profile: 'probe', adapter, version: null },
    source: { isolation: 'none', base: null },
    intent: {
      originalHumanIntent: '',
      inferredGoal: null,
      addedContext: [],
      verificationPlan: '',
    },
    instruction: null,
    capabilities: [],
    credentials: [],
  };
}

function roleOf({ agent, model }: ProbeTurn['role']): Role {
  return { profile: 'probe', agent, command: null, model, args: [], models: 'inject' };
}

/** Whichever API it speaks, the scripted server does. */
function addressesOf(url: string): Readonly<Record<string, string>> {
  return {
    ANTHROPIC_BASE_URL: url,
    OPENAI_BASE_URL: `${url}/v1`,
    GOOGLE_GEMINI_BASE_URL: url,
  };
}

/**
 * Nothing of it is asked for but the turn itself. The script calls two tools in a folder of its
 * own, so the agent may run them.
 */
const plain: Omit<Definition, 'roles' | 'project' | 'env' | 'secrets'> = {
  version: 1,
  intent: { originalIntent: '', inferredGoal: null, addedContext: [], verificationPlan: '' },
  name: 'probe',
  source: { isolation: 'none', base: null, baseBranch: null, includeChanges: false },
  strategy: 'attempts',
  criteria: [],
  baseline: 'skip',
  allowNoChange: true,
  protected: [],
  onProtected: 'park',
  fileScope: [],
  brakes: {
    ...{ attempts: 1, costUsd: null, tokens: null, steps: null, timeMs: null },
    ...{ attemptTimeMs: 0, waitTimeMs: 0, errorSignals: 0 },
  },
  workspace: { setup: null, copy: [], submodules: 'off' },
  verifyTree: 'clean',
  permissions: 'trusted',
  onLimit: 'stop',
  context: [],
  approvals: { expireMs: null },
  recovery: { requeues: 0, transfers: 0 },
  concurrency: { group: 'probe', max: 1 },
  land: { method: 'squash', reverify: false },
  nestedRuns: 0,
  keepAwake: false,
};

/** Longer than a turn may take: nobody but its user calls it off. */
const ttlMs = 60_000;

/** Grants what is asked, and keeps what is handed in. */
export function probePlane(
  dispatch: Dispatch,
  isCancelled: () => boolean,
): { readonly plane: Plane; readonly handedIn: () => JobResult | null } {
  const grantId = 'probe' as GrantId;
  let handedIn: JobResult | null = null;
  const plane: Plane = {
    claim: async () => ({ ok: true, grantId, fence: 1, ttlMs, dispatch }),
    start: async () => ({ ok: true }),
    heartbeat: async () => ({ ok: true, cancel: isCancelled(), pause: false }),
    ask: async () => ({ ok: false, reason: 'execution.not_open' }),
    checkpoint: async () => ({ ok: true }),
    cancelAck: async () => ({ ok: true }),
    result: async ({ result }) => {
      handedIn = result;
      return { ok: true };
    },
  };
  return { plane, handedIn: () => handedIn };
}
