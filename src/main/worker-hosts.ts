/**
 * The hosts of a worker: a program for each execution, in a session of its own. Each has a note of
 * who it is, so that the next worker of this home knows which live; what a dead one sealed is
 * handed in, and of one that left nothing it is said that it died, with the proof of its end.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type {
  ExecutionRole,
  FailureClass,
  Holder,
  JobResult,
  ProofStrength,
} from '../domain/execution/state.ts';
import type { ExecutionId, GrantId } from '../domain/ids.ts';
import { quarantine, quarantinedFor } from '../git/records.ts';
import { kill } from '../host/containment/killing.ts';
import { writeDurably } from '../host/durable-file.ts';
import { bootId, holderLives, startOf } from '../host/identity.ts';
import { readJournal } from '../host/journal.ts';
import { journalBytesMax } from '../host/kept-journal.ts';
import { digestOf, readSeal } from '../host/seal.ts';
import { readFact, type SpoolTree, spoolPath } from '../host/spool.ts';
import { WorldError } from '../kernel/errors.ts';
import { isFields, parsedJson } from '../kernel/json.ts';
import { clip } from '../kernel/text.ts';
import type { Plane, PlaneAnswer } from '../ports/plane.ts';
import type { WorkerHosts } from '../worker/daemon.ts';
import type { HttpPlane } from '../worker/http-plane.ts';
import { hostEnvironment } from '../worker/placed.ts';
import type { WorkerPlane } from '../worker/worker-plane.ts';
import { spoolDirectory } from './places.ts';
import { startProgramWith } from './start-driver.ts';
import type { Surroundings } from './surroundings.ts';
import { claimsOf, lanesHere, planeHere, processesHere } from './worker-parts.ts';

interface Means {
  readonly around: Surroundings;
  readonly worker: string;
  /** A plane of its own for each hand-in. */
  readonly plane: () => HttpPlane;
  readonly log: (line: string) => void;
}

export function workerHosts(means: Means): WorkerHosts {
  const notes = hostNotes(join(means.around.home, 'hosts'));
  const lives = (execution: ExecutionId) => {
    const holder = notes.read(execution);
    return holder !== null && holderLives(holder);
  };
  return {
    start: async (execution, role) => {
      const pid = await startHost(means.around, execution, role);
      const started = startOf(pid);
      // It can have ended already: then there is nobody to note.
      const holder = { worker: means.worker, bootId: bootId(), pid, started: started ?? 0 };
      notes.write(execution, holder);
    },
    living: () => notes.all().filter(lives),
    settle: async () => {
      let isSaid = true;
      for (const execution of new Set([...notes.all(), ...claimsOf(means.around).all()])) {
        if (lives(execution)) continue;
        if (await settled(means, execution)) notes.remove(execution);
        else isSaid = false;
      }
      return isSaid;
    },
    stop: (execution) => {
      const holder = notes.read(execution);
      if (holder !== null && holderLives(holder)) kill(holder.pid, 'SIGTERM');
    },
  };
}

function startHost(around: Surroundings, id: ExecutionId, role: ExecutionRole): Promise<number> {
  const userHome = join(around.home, 'user');
  mkdirSync(userHome, { recursive: true, mode: 0o700 });
  const env = { ...hostEnvironment(around.env, { home: around.home, userHome }) };
  const processes = processesHere(around);
  return startProgramWith({ around, processes }, ['worker-host', id, role], {
    ...env,
    PAWL_EXECUTION: id,
  });
}

/** False: it could not be said now. One that fails stops no other. */
async function settled(means: Means, execution: ExecutionId): Promise<boolean> {
  try {
    await lastWord(means, execution);
    await tellQuarantined(means, execution);
    return true;
  } catch (error: unknown) {
    means.log(`${execution}: ${error instanceof Error ? error.message : String(error)}`);
    return false;
  }
}

const spoolOf = ({ around }: Means, execution: ExecutionId): string =>
  spoolPath(spoolDirectory(around), execution);

/** The tree of an execution that another went on with is kept, and its owner is told where. */
async function tellQuarantined(means: Means, execution: ExecutionId): Promise<void> {
  const tree = readFact<SpoolTree>(spoolOf(means, execution), 'tree');
  if (tree === null || (await quarantinedFor(tree.directory)) !== execution) return;
  means.log(`${execution} went on elsewhere: its work tree is kept, unused, at ${tree.directory}`);
}

/** @throws when it could not be said now. */
async function lastWord(means: Means, execution: ExecutionId): Promise<void> {
  const plane = planeHere(means.around, means.plane());
  const spool = spoolOf(means, execution);
  // What fenced itself says nothing more: whatever it did is not the run's.
  if (readFact(spool, 'fenced') !== null) claimsOf(means.around).remove(execution);
  // What was said needs no word of ours: the host had its answer.
  else if (plane.takeUp(execution)) await handIn(means, plane, execution);
}

async function handIn(means: Means, plane: WorkerPlane, execution: ExecutionId): Promise<void> {
  const claim = claimsOf(means.around).read(execution);
  if (claim === null) return;
  const spool = spoolOf(means, execution);
  const grant = { execution, grantId: claim.grant.binding.grantId as GrantId };
  const sealed = readSeal(spool, execution);
  const said =
    sealed === null
      ? await died(means, plane, execution)
      : { seal: sealed.digest, result: sealed.seal.result };
  const answer = await handedIn(plane, { ...grant, ...said });
  const what = sealed === null ? 'it died' : 'what it sealed';
  means.log(`${execution} ${what}: ${answer.ok ? 'handed in' : answer.reason}`);
  const tree = readFact<SpoolTree>(spool, 'tree');
  if (!answer.ok && tree?.isolation === 'worktree') await quarantine(tree.directory, execution);
}

type Result = Parameters<Plane['result']>[0];

/** What this machine itself cannot give any more (a damaged mirror) would never be handed in. */
async function handedIn(plane: Plane, message: Result): Promise<PlaneAnswer> {
  try {
    return await plane.result(message);
  } catch (error: unknown) {
    if (!(error instanceof WorldError) || error.code === 'plane_refused') throw error;
    const { execution, grantId } = message;
    const lost = failedWith('workspace_lost', clip(error.message, 500), 'kernel');
    return plane.result({ execution, grantId, ...sealOf(execution, lost) });
  }
}

async function died(means: Means, plane: WorkerPlane, execution: ExecutionId) {
  const { around, worker } = means;
  const proof = await lanesHere(around, worker).end({ id: execution, lease: null });
  const detail = 'the host on the worker is gone and left no result';
  const failed = failedWith('lane_died', detail, proof.strength);
  // What it printed until then lies here alone.
  const text = await readJournal(join(spoolOf(means, execution), 'journal'), journalBytesMax);
  if (text === '') return sealOf(execution, failed);
  return sealOf(execution, { ...failed, journal: await plane.artifacts.put(text, 'journal') });
}

type Failed = Extract<JobResult, { kind: 'failed' }>;

const failedWith = (of: FailureClass, detail: string, proof: ProofStrength): Failed => ({
  ...{ kind: 'failed', class: of, detail, proof },
  ...{ commit: null, usage: null, text: null },
});

const sealOf = (execution: ExecutionId, result: JobResult) => ({
  seal: digestOf(JSON.stringify({ execution, result })),
  result,
});

function hostNotes(directory: string) {
  const suffix = '.json';
  const pathOf = (execution: ExecutionId) => join(directory, `${execution}${suffix}`);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  return {
    all: (): readonly ExecutionId[] =>
      readdirSync(directory)
        .filter((name) => name.endsWith(suffix))
        .map((name) => name.slice(0, -suffix.length) as ExecutionId),
    read: (execution: ExecutionId): Holder | null => {
      const value = parsedJson(readIfThere(pathOf(execution)));
      return isFields(value) ? (value as unknown as Holder) : null;
    },
    write: (execution: ExecutionId, holder: Holder) =>
      writeDurably(pathOf(execution), JSON.stringify(holder)),
    remove: (execution: ExecutionId) => rmSync(pathOf(execution), { force: true }),
  };
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error: unknown) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  }
}
