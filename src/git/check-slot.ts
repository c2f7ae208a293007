/** One slot of the pool: made, mended and brought to a commit. */
import { copyFile, mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { WorldError } from '../kernel/errors.ts';
import type { CheckTreeRequest, EmptySubmodule } from '../ports/workspace.ts';
import { cleanArgs } from './clean.ts';
import { cloneRepository, ensureCommit } from './clone.ts';
import { exists, removeTree, statOf } from './files.ts';
import { type KeptSettings, keptSettings, writeInfo } from './kept-settings.ts';
import { copyIndex } from './own-index.ts';
import { boundTo } from './proof.ts';
import type { Place, Repository } from './repository.ts';
import { fillSubmodules, notInitialised, submodulesMs } from './submodules.ts';

export interface Slot {
  readonly directory: string;
  /** Folder beside the tree with the copies of git's own files. */
  readonly kept: string;
}
interface Bringing {
  readonly slot: Slot;
  readonly source: Repository;
  readonly request: CheckTreeRequest;
}

const checkoutMs = 10 * 60_000;

/** The tree at exactly the commit; a slot that cannot be mended is made anew, once. */
export async function bringTo(
  place: Place,
  bringing: Bringing,
): Promise<readonly EmptySubmodule[]> {
  const { directory } = bringing.slot;
  if (await isMendable(bringing.slot)) {
    try {
      return await checkout(place, bringing);
    } catch (error: unknown) {
      const isOurs = error instanceof WorldError && error.code === 'git_failed';
      if (!isOurs || bringing.request.signal.aborted) throw error;
    }
  }
  await drop(place, bringing.slot);
  const { config } = await settingsOf(place, bringing);
  await cloneRepository(place, bringing.source.commonDir, directory, config);
  await keep(bringing.slot, 'config');
  return checkout(place, bringing);
}

/** What ran in the tree may have put links in the place of the tree or of its repository. */
async function isMendable(slot: Slot): Promise<boolean> {
  for (const path of [slot.directory, join(slot.directory, '.git')]) {
    if ((await statOf(path))?.isDirectory() !== true) return false;
  }
  return exists(join(slot.kept, 'config'));
}

function settingsOf(place: Place, { slot, source, request }: Bringing): Promise<KeptSettings> {
  return keptSettings(place, dirname(slot.directory), source, request.refresh ?? false);
}

async function drop(place: Place, slot: Slot): Promise<void> {
  for (const path of [slot.directory, slot.kept]) {
    await removeTree(path, join(place.home, 'trash'));
  }
}

async function keep(slot: Slot, name: 'config' | 'index'): Promise<void> {
  await mkdir(slot.kept, { recursive: true, mode: 0o700 });
  await copyIndex(join(slot.directory, '.git', name), join(slot.kept, name));
}

/** What code that ran in the tree could have planted for the next check. */
const planted = [
  'hooks',
  'info',
  'modules',
  'refs/replace',
  'worktrees',
  'config.worktree',
  'commondir',
  'objects/info',
];
const stale = [
  'index.lock',
  'HEAD.lock',
  'config.lock',
  'MERGE_HEAD',
  'rebase-merge',
  'rebase-apply',
];

async function mend(place: Place, bringing: Bringing): Promise<void> {
  const { slot } = bringing;
  const gitDir = join(slot.directory, '.git');
  for (const name of [...planted, ...stale]) {
    await rm(join(gitDir, name), { recursive: true, force: true });
  }
  await copyFile(join(slot.kept, 'config'), join(gitDir, 'config'));
  await writeInfo(await settingsOf(place, bringing), gitDir);
  await copyIndex(join(slot.kept, 'index'), join(gitDir, 'index'));
}

async function checkout(place: Place, bringing: Bringing): Promise<readonly EmptySubmodule[]> {
  const { slot, source, request } = bringing;
  await mend(place, bringing);
  const call = { ...boundTo(slot.directory), deadlineMs: checkoutMs, signal: request.signal };
  await ensureCommit(place, {
    into: slot.directory,
    from: source.commonDir,
    commit: request.commit,
  });
  await place.git.run(['checkout', '-q', '-f', '--detach', request.commit], call);
  await place.git.run(cleanArgs(request.keep), call);
  await keep(slot, 'index');
  const notes = await fillSubmodules(place, {
    root: source.root,
    directory: slot.directory,
    mode: request.submodules,
    untilMs: performance.now() + submodulesMs,
    cleanBut: request.keep,
  });
  return notes.map((note) => ({ note, asInCheckout: note.endsWith(notInitialised) }));
}
