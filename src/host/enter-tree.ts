/**
 * Brings the work tree of an execution to where its agent can start: opened or made, free of other
 * writers, furnished with what setup made, put back where the operator asked for it.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { FailureClass } from '../domain/execution/state.ts';
import { ProductError } from '../kernel/errors.ts';
import { treeShort } from '../ports/tree-name.ts';
import type { Tree } from '../ports/workspace.ts';
import { holdersOf } from './containment/machine-scan.ts';
import { type Failure, failed, type LaneWork, type Outcome, reached, told } from './lane-work.ts';
import { restoreFindings } from './restore-findings.ts';
import { classFor } from './room.ts';

export type Entered =
  | { readonly ok: true; readonly tree: Tree }
  | { readonly ok: false; readonly outcome: Outcome };

export async function enterTree(work: LaneWork): Promise<Entered> {
  if (work.dispatch.definition.dryRun === true) return { ok: true, tree: emptyPlace(work) };
  let tree: Tree;
  try {
    tree = await openFree(work);
  } catch (error: unknown) {
    return refused(failed({ class: classOf(error), detail: told(error) }));
  }
  work.signals.watches(tree.directory);
  work.spool.write('tree', { directory: tree.directory, isolation: tree.isolation });
  reached(work, 'tree-opened');
  if (tree.created) {
    const problem = await furnish(work, tree);
    if (problem !== null) return refused(failed(problem));
    reached(work, 'furnished');
  }
  if (work.dispatch.job.restore === true) await restoreBefore(work, tree);
  return { ok: true, tree };
}

/** A dry run has no tree and no branch: its lane looks at an empty folder of its spool. */
function emptyPlace({ spool, dispatch, signals }: LaneWork): Tree {
  const directory = join(spool.directory, 'dry-run');
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  signals.watches(directory);
  spool.write('tree', { directory, isolation: 'none' });
  const place = { directory, root: directory, branch: null, base: null, created: true } as const;
  return { run: dispatch.run, ...place, isolation: 'none' };
}

function refused(outcome: Outcome): Entered {
  return { ok: false, outcome };
}

/** A work tree has one writer: while another process has it open, a never-used one is taken. */
async function openFree(work: LaneWork): Promise<Tree> {
  const wantsNew = work.dispatch.job.tree === 'new';
  const tree = await open(work, wantsNew);
  if (tree.created || tree.isolation === 'none') return tree;
  const holders = (work.options.holders ?? holdersOf)(tree.directory);
  if (holders.length === 0) return tree;
  work.journal.note(`the work tree is open elsewhere, a new one is taken: ${holders.join('; ')}`);
  return open(work, true);
}

function open(work: LaneWork, fresh: boolean): Promise<Tree> {
  const { definition, run, runName, job, execution } = work.dispatch;
  return work.options.workspace.openTree({
    root: definition.project.root,
    run,
    name: runName,
    short: treeShort(run),
    from: job.commit ?? definition.source.base,
    base: definition.source.base,
    isolation: definition.source.isolation,
    submodules: definition.workspace.submodules,
    copy: definition.workspace.copy,
    fresh: fresh ? execution : null,
  });
}

/**
 * A tree that was there and is not any more is lost; one that could not be made was never there.
 */
function classOf(error: unknown): FailureClass {
  const lost = error instanceof ProductError && error.code.endsWith('_lost');
  return lost ? 'workspace_lost' : classFor(error, 'dispatch_failed');
}

async function furnish(work: LaneWork, tree: Tree): Promise<Failure | null> {
  const { run, execution, definition, job } = work.dispatch;
  try {
    const done = await work.options.checks.furnish({
      run,
      execution,
      definition,
      commit: job.commit ?? definition.source.base,
      directory: tree.directory,
      signal: work.signal,
      progress: (line) => work.journal.note(line),
      restoreProtected: false,
    });
    work.journal.note(`prepared paths: ${done.how}`);
    return done.ok ? null : { class: 'setup_failed', detail: done.detail };
  } catch (error: unknown) {
    return { class: classFor(error, 'setup_failed'), detail: told(error) };
  }
}

/** `resume --restore`: what drifted or is protected goes back to base before the turn. */
async function restoreBefore(work: LaneWork, tree: Tree): Promise<void> {
  const before = await work.options.workspace.fingerprint(tree.root);
  await restoreFindings(work, tree, { before, kinds: ['drift', 'protected'] });
}
