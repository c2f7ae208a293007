/**
 * One execution of a lane host in a world that answers as the test says: real processes in real
 * folders; plane, workspace and verifier are scripted.
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { adapterOf } from '../../src/agents/adapters.ts';
import type { Definition, Role } from '../../src/domain/definition/definition.ts';
import { readsOnly } from '../../src/domain/execution/roles.ts';
import type { JobResult, Usage } from '../../src/domain/execution/state.ts';
import type { Commit, Digest, ExecutionId, GrantId } from '../../src/domain/ids.ts';
import type { Verdict } from '../../src/domain/verdict/verdict.ts';
import { nodeClock } from '../../src/host/clock.ts';
import { nodeIds } from '../../src/host/ids.ts';
import { type LaneHostOptions, laneHost } from '../../src/host/lane-host.ts';
import { allProcesses, commandOf, isLiving } from '../../src/host/process-table.ts';
import { nodeProcesses } from '../../src/host/processes.ts';
import { digestOf } from '../../src/host/seal.ts';
import { spoolPath } from '../../src/host/spool.ts';
import type { Dispatch, Plane } from '../../src/ports/plane.ts';
import type { HeartbeatAnswer } from '../../src/ports/store.ts';
import type { TreeRequest, Workspace } from '../../src/ports/workspace.ts';

const root = mkdtempSync(join(tmpdir(), 'pawl-lane-host-'));

export const removeRig = (): void => rmSync(root, { recursive: true, force: true });

const processes = nodeProcesses({ stateDirectory: join(root, 'state') });
let count = 0;

export interface Script {
  readonly agent: string;
  readonly argv?: readonly string[];
  readonly prompt?: string;
  readonly beats?: (usage: Usage | null) => HeartbeatAnswer | null;
  readonly claim?: Plane['claim'];
  readonly result?: Plane['result'];
  readonly ask?: Plane['ask'];
  readonly dispatch?: Partial<Dispatch>;
  /** Over what the definition holds without it. */
  readonly definition?: Partial<Definition>;
  /** Over the role of a command. */
  readonly lane?: Partial<Role>;
  readonly role?: 'execute' | 'judge' | 'consult';
  readonly models?: 'inject' | 'pass';
  /** Variables that the definition sets. */
  readonly set?: Readonly<Record<string, string>>;
  readonly secrets?: Readonly<Record<string, string>>;
  readonly workspace?: Partial<Workspace>;
  readonly options?: Partial<LaneHostOptions>;
  readonly ttlMs?: number;
  /** `none`: the project's own folder is the tree; else the project lies around it. */
  readonly isolation?: 'worktree' | 'none';
  readonly asked?: AbortSignal;
}

export const noFiles: Pick<LaneHostOptions['checks'], 'attestFiles' | 'attestedFiles'> = {
  attestFiles: async ({ left }) => digestOf(JSON.stringify(left)),
  attestedFiles: async () => null,
};

interface Seen {
  readonly told: string[];
  readonly results: JobResult[];
  readonly opened: TreeRequest[];
}

/** One execution in a world that answers as the script says, and what came of it. */
export async function run(script: Script) {
  count += 1;
  const execution = `test${count}.1` as ExecutionId;
  const home = join(root, String(count));
  const tree = join(home, 'tree');
  mkdirSync(tree, { recursive: true });
  const seen: Seen = { told: [], results: [], opened: [] };
  const { told } = seen;
  const reached: string[] = [];
  const kept = new Map<Digest, string>();
  const exit = await laneHost({
    plane: planeOf(script, dispatchOf(script, execution, tree), seen),
    workspace: workspaceOf(script, { home, tree }, seen),
    checks: { furnish: async () => ({ how: 'none', ok: true, detail: '' }), ...noFiles },
    processes,
    artifacts: {
      put: async (bytes) => {
        const digest = digestOf(String(bytes));
        kept.set(digest, String(bytes));
        return digest;
      },
      get: async () => null,
    },
    clock: nodeClock(),
    ids: nodeIds(),
    judges: {
      prompt: ({ material }) => `judge ${material.text}`,
      opinion: (brief, { text }) => `${brief}; ${text}`,
      verdict: async (_request, said) =>
        ({ outcome: 'passed', summary: JSON.stringify(said), criteria: [] }) as unknown as Verdict,
    },
    judgeTree: async () => ({ directory: tree, remove: async () => void told.push('removed') }),
    adapter: adapterOf,
    spoolDirectory: join(home, 'spool'),
    homesDirectory: join(home, 'homes'),
    worker: 'here',
    env: { PATH: process.env['PATH'], SHELL_SECRET: 'not-for-the-lane' },
    ensureDriver: async () => void told.push('driver'),
    faults: { reached: (name) => reached.push(name) },
    spans: { graceMs: 100, completingMs: 50, watchMs: 20 },
    ...script.options,
  }).run(execution, script.asked);
  const spool = spoolPath(join(home, 'spool'), execution);
  const { opened, results } = seen;
  return { exit, told, result: results[0], opened, reached, kept, tree, spool, execution, home };
}

function planeOf(script: Script, dispatch: Dispatch, { told, results }: Seen): Plane {
  const grantId = 'grant' as GrantId;
  return {
    claim: async (request) => {
      told.push('claim');
      if (script.claim !== undefined) return script.claim(request);
      return { ok: true, grantId, fence: 1, ttlMs: script.ttlMs ?? 300, dispatch };
    },
    start: async ({ rung }) => {
      told.push(`start ${rung}`);
      return { ok: true };
    },
    heartbeat: async ({ usage }) =>
      script.beats?.(usage) ?? { ok: true, cancel: false, pause: false },
    ask: async (message) => script.ask?.(message) ?? { ok: true },
    checkpoint: async () => ({ ok: true }),
    result: async (message) => {
      if (script.result !== undefined) return script.result(message);
      told.push('result');
      results.push(message.result);
      return { ok: true };
    },
    cancelAck: async ({ proof }) => {
      told.push(`cancel-ack ${proof}`);
      return { ok: true };
    },
  };
}

function workspaceOf(
  script: Script,
  { home, tree }: { readonly home: string; readonly tree: string },
  { opened }: Seen,
): Workspace {
  return {
    openTree: async (request: TreeRequest) => {
      opened.push(request);
      return {
        directory: request.isolation === 'none' ? request.root : tree,
        root: home,
        branch: 'b',
        base: null,
        created: false,
        isolation: request.isolation,
      };
    },
    fingerprint: async () => ({ head: null, branch: null, digest: '', paths: {} }),
    snapshot: async () => ({
      commit: 'c0ffee' as Commit,
      equalsBase: false,
      filesChanged: readdirSync(tree).length,
      leftOut: [],
    }),
    findings: async () => [],
    salvage: async () => null,
    quarantine: async () => true,
    patch: async () => 'the patch',
    ...script.workspace,
  } as unknown as Workspace;
}

function dispatchOf(script: Script, execution: ExecutionId, tree: string): Dispatch {
  const command = script.argv ?? ['sh', '-c', script.agent, tree, '{prompt}'];
  const plain = { profile: 'fixer', agent: 'command', command, model: null, args: [] };
  const door = script.models === undefined ? {} : { models: script.models };
  const role = { ...plain, ...door, ...script.lane };
  return {
    run: 'test',
    runName: 'fix-it',
    execution,
    n: 1,
    job: {
      role: script.role ?? 'execute',
      attempt: 1,
      step: null,
      commit: readsOnly(script.role ?? 'execute') ? 'abc' : null,
      tree: 'same',
      session: 'fresh',
    },
    definition: {
      roles: { execute: role, verify: role },
      project: { root: script.isolation === 'worktree' ? dirname(tree) : tree },
      source: { isolation: script.isolation ?? 'worktree', base: 'base' },
      workspace: { submodules: 'off', copy: [] },
      env: { allow: [], set: script.set ?? {} },
      secrets: script.secrets ?? {},
      fileScope: [],
      protected: [],
      onProtected: 'park',
      recovery: { requeues: 2, transfers: 3 },
      ...script.definition,
    },
    history: '# Loop Attempt History',
    prompt: script.prompt ?? 'make it work',
    hints: [],
    sessionId: null,
    deadlineMs: 60_000,
    allowedPaths: [],
    restore: false,
    criteria: [0],
    ...script.dispatch,
  } as unknown as Dispatch;
}

/** Processes whose command line has the text. */
export function living(text: string): readonly number[] {
  const found = allProcesses().filter((one) => isLiving(one) && commandOf(one.pid).includes(text));
  return found.map((one) => one.pid);
}
