/**
 * The {@link Plane} of a host on a worker. To the host it looks as in-process: its dispatch stands
 * on this machine, its artifacts are put at once. What that takes is done here: the source is
 * brought under the lease, and with the result go the artifacts and the commits that it names, in
 * that order, each safe to be sent again. What the server will never take becomes a failed result
 * that says why.
 */
import { createHash } from 'node:crypto';
import { isRefusalCode } from '../contract/plane-refusals.ts';
import { WorldError } from '../kernel/errors.ts';
import { clip } from '../kernel/text.ts';
import type { Artifacts } from '../ports/artifacts.ts';
import type { Dispatch, Granted, Plane, PlaneAnswer } from '../ports/plane.ts';
import { notCarried, type SourceMirrors, type SourceOffer } from '../ports/source.ts';
import type { Commit, Digest, ExecutionId, JobResult } from '../ports/words.ts';
import type { HttpPlane } from './http-plane.ts';
import type { KeptClaim, KeptClaims } from './kept-claims.ts';
import { placedDefinition } from './placed.ts';

export interface WorkerPlaneOptions {
  readonly plane: HttpPlane;
  readonly mirrors: SourceMirrors;
  /** On this machine's disk: what is put stays when the server cannot be reached. */
  readonly local: Artifacts;
  readonly kept: KeptClaims;
  readonly monotonicMs: () => number;
}

export interface WorkerPlane extends Plane {
  /** Of the one execution that was claimed or taken up here. */
  readonly artifacts: Artifacts;
  /** Brings the source of the dispatch to where the dispatch says that it is. */
  bring(dispatch: Dispatch): Promise<void>;
  credentials(
    granted: Granted,
    references: Readonly<Record<string, string>>,
  ): Promise<Readonly<Record<string, string>>>;
  /** Goes on with what a dead host kept; false: it kept nothing. */
  takeUp(execution: ExecutionId): boolean;
}

/** A token is written down this often: what finds it later needs one that is still good. */
const keepMs = 5_000;

interface Holding {
  claim: KeptClaim | null;
  keptAtMs: number;
}

export function workerPlane(options: WorkerPlaneOptions): WorkerPlane {
  const { plane, kept } = options;
  const holding: Holding = { claim: null, keptAtMs: 0 };
  return {
    ...plane,
    claim: async (request) => {
      const answer = await plane.claim(request);
      if (!answer.ok) return answer;
      return { ...answer, dispatch: await placed(options, holding, answer.dispatch) };
    },
    heartbeat: async (message) => {
      const answer = await plane.heartbeat(message);
      if (answer.ok) keepToken(options, holding, message.execution);
      return answer;
    },
    checkpoint: async (message) => {
      await payOwed(options, holding, message);
      return plane.checkpoint(message);
    },
    result: async (message) => {
      const refusal = await undeliverable(options, holding, message);
      const said = refusal === null ? message : substitute(message, refusal, holding);
      return ended(options, message, await plane.result(said));
    },
    cancelAck: async (message) => ended(options, message, await plane.cancelAck(message)),
    artifacts: artifactsOf(options, holding),
    bring: (dispatch) => bring(options, dispatch),
    credentials: async (granted, references) => {
      const named = Object.keys(references).map(async (name) => {
        return [name, await plane.credential({ ...granted, name })] as const;
      });
      return Object.fromEntries(await Promise.all(named));
    },
    takeUp: (execution) => {
      const claim = kept.read(execution);
      if (claim === null) return false;
      plane.hold(claim.grant);
      holding.claim = claim;
      return true;
    },
  };
}

const grantedOf = ({ grant }: KeptClaim): Granted => ({
  execution: grant.binding.execution as ExecutionId,
  grantId: grant.binding.grantId as Granted['grantId'],
});

/** Asks which source it is, since that names its place here; it is brought later, under beats. */
async function placed(
  options: WorkerPlaneOptions,
  holding: Holding,
  dispatch: Dispatch,
): Promise<Dispatch> {
  const { plane, mirrors, kept, monotonicMs } = options;
  const { definition, job, execution, run } = dispatch;
  const grant = plane.held(execution);
  if (grant === null) throw new WorldError('plane_refused', 'the claim left no grant');
  const from = job.commit ?? definition.source.base;
  const claim: KeptClaim = { version: 1, grant, run, from, root: mirrors.rootOf(''), owed: [] };
  // Before anything is asked: whoever dies from here on is found and told of.
  kept.write(claim);
  const granted = grantedOf(claim);
  const asked = await plane.source({ ...granted, have: null, withoutRemote: false });
  const source = asked.ok ? asked.value.source : null;
  const root = mirrors.rootOf(source?.key ?? '');
  holding.claim = { ...claim, root };
  holding.keptAtMs = monotonicMs();
  kept.write(holding.claim);
  const submodules = source?.submodules === true;
  return { ...dispatch, definition: placedDefinition(definition, { root, submodules }) };
}

function keepToken(options: WorkerPlaneOptions, holding: Holding, execution: ExecutionId): void {
  const { plane, kept, monotonicMs } = options;
  const grant = plane.held(execution);
  if (grant === null || holding.claim === null) return;
  holding.claim = { ...holding.claim, grant };
  if (monotonicMs() - holding.keptAtMs < keepMs) return;
  holding.keptAtMs = monotonicMs();
  kept.write(holding.claim);
}

/** By its remote and what that lacks; where the remote is out of reach, all of it by the server. */
async function bring(options: WorkerPlaneOptions, dispatch: Dispatch): Promise<void> {
  try {
    await bringBy(options, dispatch, false);
  } catch (error: unknown) {
    if (!(error instanceof WorldError) || error.code !== 'source_unreachable') throw error;
    await bringBy(options, dispatch, true);
  }
}

async function bringBy(
  options: WorkerPlaneOptions,
  dispatch: Dispatch,
  withoutRemote: boolean,
): Promise<void> {
  const { plane, mirrors } = options;
  const granted = { execution: dispatch.execution, grantId: heldBy(plane, dispatch.execution) };
  const described = await sourceOf(plane, { ...granted, have: null, withoutRemote });
  const have = await mirrors.known(described.key);
  const wanted = dispatch.job.commit ?? dispatch.definition.source.base;
  const isThere = wanted !== null && have.includes(wanted);
  const source = isThere ? described : await sourceOf(plane, { ...granted, have, withoutRemote });
  const bundle = source.bundle === null ? null : await bytesOf(plane, granted, source.bundle);
  const offer: SourceOffer = { ...source, commit: source.commit as Commit, bundle };
  await mirrors.bring(offer, dispatch.run);
}

function heldBy(plane: HttpPlane, execution: ExecutionId): Granted['grantId'] {
  const held = plane.held(execution);
  if (held === null) throw new WorldError('plane_refused', 'no grant for the source');
  return held.binding.grantId as Granted['grantId'];
}

async function sourceOf(plane: HttpPlane, asked: Parameters<HttpPlane['source']>[0]) {
  const answer = await plane.source(asked);
  const source = answer.ok ? answer.value.source : null;
  if (source !== null) return source;
  throw new WorldError('source_unavailable', notCarried, {
    found: answer.ok ? (answer.value.why ?? 'no reason was told') : answer.code,
  });
}

async function bytesOf(plane: HttpPlane, granted: Granted, digest: string): Promise<Uint8Array> {
  const bytes = await plane.artifacts(granted).get(digest as Digest);
  if (bytes !== null) return bytes;
  throw new WorldError('source_unavailable', `${notCarried}: its bundle is lost`, {
    found: digest,
  });
}

function artifactsOf(options: WorkerPlaneOptions, holding: Holding): Artifacts {
  const { local, plane, kept } = options;
  return {
    put: async (bytes, kind) => {
      const digest = await local.put(bytes, kind);
      const { claim } = holding;
      if (claim === null) throw new WorldError('plane_refused', 'artifacts belong to a claim');
      if (!claim.owed.some((one) => one.digest === digest)) {
        holding.claim = { ...claim, owed: [...claim.owed, { digest, kind }] };
        kept.write(holding.claim);
      }
      return digest;
    },
    get: async (digest) => {
      const own = await local.get(digest);
      if (own !== null || holding.claim === null) return own;
      return plane.artifacts(grantedOf(holding.claim)).get(digest);
    },
  };
}

/** @throws what the network throws: it is said again, and what was paid is owed no more. */
async function payOwed(
  { plane, local, kept }: WorkerPlaneOptions,
  holding: Holding,
  granted: Granted,
): Promise<void> {
  for (const { digest, kind } of holding.claim?.owed ?? []) {
    const bytes = await local.get(digest);
    if (bytes !== null) await plane.artifacts(granted).put(bytes, kind);
    const { claim } = holding;
    if (claim === null) return;
    holding.claim = { ...claim, owed: claim.owed.filter((one) => one.digest !== digest) };
    kept.write(holding.claim);
  }
}

/**
 * Null: the server has all that the result names; else why it never will. Of a refusal that is
 * about the grant the result itself hears as well.
 * @throws what may be otherwise when it is said again: no answer, or one of no server of ours.
 */
async function undeliverable(
  options: WorkerPlaneOptions,
  holding: Holding,
  message: Result,
): Promise<string | null> {
  try {
    await payOwed(options, holding, message);
    return await carried(options, holding, message);
  } catch (error: unknown) {
    if (error instanceof WorldError && isRefusalCode(error.details.found)) return error.message;
    throw error;
  }
}

type Result = Granted & { readonly seal: Digest; readonly result: JobResult };

/** The commit that a result names, whatever kind it is of. */
function tipOf(result: JobResult): Commit | null {
  if (result.kind === 'verified') return result.facts.commit;
  return result.kind === 'executed' || result.kind === 'failed' ? result.commit : null;
}

/** Null: the server has the commits, or there are none; else why it will never take them. */
async function carried(
  { plane, mirrors }: WorkerPlaneOptions,
  { claim }: Holding,
  { result, ...granted }: Result,
): Promise<string | null> {
  const tip = tipOf(result);
  if (claim === null || tip === null || claim.from === null || tip === claim.from) return null;
  const { execution, grantId } = granted;
  const packed = await mirrors.pack({ root: claim.root, execution, from: claim.from, tip });
  if (!packed.ok) return `${packed.reason}: ${packed.detail}`;
  const bundle = await plane.artifacts(granted).put(packed.bundle, 'bundle');
  const answer = await plane.work({ execution, grantId, tip, bundle });
  if (answer.ok) return null;
  // Of any other refusal the result itself hears as well.
  return answer.reason.startsWith('bundle.') ? answer.reason : null;
}

/** Whoever says it again says the same: its digest follows from what it says. */
function substitute(message: Result, refusal: string, { claim }: Holding): Result {
  const { execution, grantId, result } = message;
  const journal = result.kind === 'prepared' ? null : (result.journal ?? null);
  const isThere = journal !== null && !claim?.owed.some(({ digest }) => digest === journal);
  const end = result.kind === 'executed' ? result.end.proof : null;
  const failed: JobResult = {
    kind: 'failed',
    class: 'invalid_result',
    detail: clip(`the work cannot be carried: ${refusal}`, 500),
    proof: end ?? (result.kind === 'failed' ? result.proof : 'kernel'),
    commit: null,
    usage: result.kind === 'prepared' ? null : (result.usage ?? null),
    text: null,
    ...(isThere ? { journal } : {}),
  };
  const text = JSON.stringify({ execution, grantId, result: failed });
  const seal = `sha256:${createHash('sha256').update(text).digest('hex')}` as Digest;
  return { execution, grantId, seal, result: failed };
}

/** Accepted or refused: in both cases nothing more is said. */
function ended(
  { kept }: WorkerPlaneOptions,
  { execution }: Granted,
  answer: PlaneAnswer,
): PlaneAnswer {
  kept.remove(execution);
  return answer;
}
