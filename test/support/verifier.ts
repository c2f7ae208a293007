/** A verifier over real git, real processes and a real disk, in a folder of its own. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Definition } from '../../src/domain/definition/definition.ts';
import type { Commit, Digest, ExecutionId, RunId } from '../../src/domain/ids.ts';
import { gitCheckTrees } from '../../src/git/check-trees.ts';
import { nodeClock } from '../../src/host/clock.ts';
import { nodeProcesses } from '../../src/host/processes.ts';
import type { CheckRequest } from '../../src/ports/checks.ts';
import { diskArtifacts } from '../../src/store/artifacts/disk-artifacts.ts';
import { runtimeChecks } from '../../src/verify/checks.ts';
import type { RuntimeChecksOptions } from '../../src/verify/options.ts';
import type { Predicate } from '../../src/verify/receipt/predicate.ts';
import { memorySigner } from '../../src/verify/signer.ts';

export type Files = Readonly<Record<string, string | null>>;

export function verifier(more: Partial<RuntimeChecksOptions> = {}) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-verify-')));
  const home = join(folder, 'home');
  const root = join(folder, 'repository');
  mkdirSync(home, { recursive: true, mode: 0o700 });
  mkdirSync(root);
  const artifacts = diskArtifacts({ directory: join(home, 'artifacts') });
  const signer = memorySigner();
  const options: RuntimeChecksOptions = {
    trees: gitCheckTrees({ home }),
    processes: nodeProcesses({ stateDirectory: join(folder, 'state') }),
    artifacts,
    clock: nodeClock(),
    signer,
    home,
    env: { PATH: process.env['PATH'], HOME: folder },
    ...more,
  };
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-C', root, ...identity, ...args], { encoding: 'utf8' }).trim();
  git('init', '-q', '-b', 'main');
  const progress: string[] = [];
  const read = async (digest: Digest | null) => {
    const bytes = digest === null ? null : await artifacts.get(digest);
    if (bytes === null) throw new Error('the artifact is not there');
    return Buffer.from(bytes).toString('utf8');
  };
  return {
    folder,
    home,
    root,
    signer,
    options,
    checks: runtimeChecks(options),
    progress,
    git,
    read,
    /** Writes files (null removes) and records them. */
    commit(files: Files, message = 'change'): Commit {
      for (const [path, text] of Object.entries(files)) put(root, path, text);
      git('add', '-A');
      git('commit', '-q', '--allow-empty', '-m', message);
      return git('rev-parse', 'HEAD') as Commit;
    },
    request(definition: Definition, commit: Commit | null, changes: Partial<CheckRequest> = {}) {
      const request: CheckRequest = {
        run: 'run000000000' as RunId,
        execution: 'run000000000.1' as ExecutionId,
        definition,
        commit,
        directory: null,
        signal: new AbortController().signal,
        progress: (line) => progress.push(line),
        restoreProtected: false,
        ...changes,
      };
      return { ...request, criteria: definition.criteria.map((_, index) => index) };
    },
    async predicate(digest: Digest | null): Promise<Predicate> {
      const envelope = JSON.parse(await read(digest));
      return JSON.parse(Buffer.from(envelope.payload, 'base64').toString('utf8')).predicate;
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.org'] as const;

function put(root: string, path: string, text: string | null): void {
  const file = join(root, path);
  if (text === null) {
    rmSync(file, { recursive: true, force: true });
    return;
  }
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  if (text.startsWith('#!')) chmodSync(file, 0o755);
}

/** A definition with one check and nothing else that could surprise. */
export function definitionWith(
  root: string,
  base: Commit | null,
  changes: Partial<Definition> = {},
): Definition {
  return {
    version: 1,
    intent: {
      originalIntent: 'make it pass',
      inferredGoal: null,
      addedContext: [],
      verificationPlan: '',
    },
    name: 'fix',
    project: { root, name: 'sample', kind: 'user', cwd: '' },
    source: { isolation: 'worktree', base, baseBranch: 'main', includeChanges: false },
    strategy: 'attempts',
    roles: {
      execute: { profile: 'fixer', agent: 'command', command: ['true'], model: null, args: [] },
      verify: null,
    },
    criteria: [check('node --test')],
    baseline: 'auto',
    allowNoChange: false,
    protected: [],
    onProtected: 'park',
    fileScope: [],
    brakes: {
      attempts: 5,
      costUsd: null,
      tokens: null,
      steps: null,
      timeMs: null,
      attemptTimeMs: 60_000,
      waitTimeMs: 60_000,
      errorSignals: 3,
    },
    workspace: { setup: null, copy: [], submodules: 'auto' },
    verifyTree: 'clean',
    permissions: 'workspace',
    onLimit: 'wait',
    env: { allow: [], set: {} },
    secrets: {},
    context: [],
    approvals: { expireMs: null },
    recovery: { requeues: 2, transfers: 3 },
    concurrency: { group: 'sample', max: 3 },
    land: { method: 'squash', reverify: true },
    nestedRuns: 0,
    keepAwake: false,
    ...changes,
  };
}

export function check(
  command: string,
  changes: Partial<Extract<Definition['criteria'][number], { command: string }>> = {},
): Definition['criteria'][number] {
  return {
    kind: 'test',
    command,
    expectExit: 0,
    testsRunMoreThan: null,
    redFirst: false,
    timeoutMs: 60_000,
    ...changes,
  };
}
