/**
 * The verbs by which source goes to a worker and work comes back (DESIGN §6). What is offered is
 * the commit of the job and nothing else of the repository's; what comes back is looked at by the
 * {@link SourceExchange}, and moves refs only while the grant is the current one.
 */
import type { PlaneBinding } from '../../contract/plane-words.ts';
import { definitionOf } from '../../engine/artifact-text.ts';
import type { Engine } from '../../engine/engine.ts';
import { planeArtifacts } from '../../engine/plane-artifacts.ts';
import { ProductError } from '../../kernel/errors.ts';
import { clip } from '../../kernel/text.ts';
import type { SourceExchange, SourceOffer } from '../../ports/source.ts';
import { workBranch } from '../../ports/tree-name.ts';
import type { Commit, Digest, ExecutionId, RunId } from '../../ports/words.ts';
import type { ExecutionHandlers } from './options.ts';
import { PlaneRefusal } from './refusal.ts';

interface Means {
  readonly engine: Engine;
  readonly exchange: () => Promise<SourceExchange>;
}

export function sourceHandlers(means: Means): ExecutionHandlers {
  const { engine, exchange } = means;
  return {
    source: async ({ binding, have, withoutRemote }) => {
      const { root, from, ...wanted } = await subjectOf(means, binding);
      if (from === null) return { ok: true, source: null, why: 'the run works in a folder' };
      try {
        const asked = { root, commit: from, have: have as readonly Commit[] | null, withoutRemote };
        const without = wanted.isWithoutSubmodules ? { withoutSubmodules: true as const } : {};
        const offer = await (await exchange()).offer({ ...asked, ...without });
        return { ok: true, ...(await told(engine, binding, offer)) };
      } catch (error: unknown) {
        if (!(error instanceof ProductError)) throw error;
        return { ok: true, source: null, why: wordsOf(error) };
      }
    },
    work: async ({ binding, tip, bundle: digest }) => {
      const { root, from, name } = await subjectOf(means, binding);
      if (from === null) throw new PlaneRefusal('bundle.missing_base');
      const bundle = await engine.artifacts.get(digest as Digest);
      if (bundle === null) throw new PlaneRefusal('artifact.unknown');
      const [run, execution] = [binding.run as RunId, binding.execution as ExecutionId];
      const work = { run, execution, root, from, tip: tip as Commit, bundle };
      const branch = workBranch(name, run);
      const isWanted = () => isCurrent(means, binding);
      const taken = await (await exchange()).takeIn({ ...work, branch }, isWanted);
      if (!taken.ok) throw new PlaneRefusal(taken.reason);
      return { ok: true };
    },
  };
}

async function isCurrent({ engine }: Means, binding: PlaneBinding): Promise<boolean> {
  const row = await engine.store.execution(binding.execution as ExecutionId);
  return row?.lease?.grantId === binding.grantId;
}

interface Subject {
  readonly root: string;
  readonly name: string;
  /** What the job starts from; null: it works in the folder itself. */
  readonly from: Commit | null;
  readonly isWithoutSubmodules: boolean;
}

async function subjectOf(means: Means, binding: PlaneBinding): Promise<Subject> {
  const { engine } = means;
  const aggregate = (await engine.store.loadRun(binding.run as RunId))?.aggregate ?? null;
  const run = aggregate?.run ?? null;
  const execution = aggregate?.executions.find(({ id }) => id === binding.execution) ?? null;
  const isHeld = await isCurrent(means, binding);
  if (!isHeld || run === null || run.status === 'unborn' || execution === null) {
    throw new PlaneRefusal('grant.stale');
  }
  const { project, source, workspace } = await definitionOf(engine.artifacts, run.definition);
  const from = source.isolation === 'none' ? null : (execution.job.commit ?? source.base);
  const isWithoutSubmodules = workspace.submodules === 'off';
  return { root: project.root, name: run.name, from, isWithoutSubmodules };
}

async function told(
  engine: Engine,
  { execution }: PlaneBinding,
  { bundle, remote, ...offer }: SourceOffer,
) {
  const digest = bundle === null ? null : await engine.artifacts.put(bundle, 'bundle');
  if (digest !== null) await planeArtifacts(engine).allow(execution as ExecutionId, digest);
  const source = { ...offer, remote: remote === null ? null : { ...remote }, bundle: digest };
  return { source, why: null };
}

const wordsOf = ({ message, details }: ProductError): string =>
  clip([message, details.found, details.next].filter((one) => one !== undefined).join('; '), 500);
