/**
 * A passing repository in which strange objects are looked at: it reads the real one's objects and
 * writes none there. Removed whatever comes of it.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Commit } from '../ports/words.ts';
import { removeTree, unique } from './files.ts';
import type { GitCall } from './git.ts';
import type { Place, Repository } from './repository.ts';

export interface Quarantine {
  readonly directory: string;
  readonly call: GitCall;
}

/** `known`: commits of the real repository that what is looked at may stand on. */
export async function inQuarantine<T>(
  place: Place,
  { repository, known }: { readonly repository: Repository; readonly known: readonly Commit[] },
  look: (quarantine: Quarantine) => Promise<T>,
): Promise<T> {
  const directory = join(place.home, 'quarantine', `${unique()}.git`);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  try {
    const format = await place.git.text(['rev-parse', '--show-object-format'], {
      cwd: repository.commonDir,
    });
    const init = ['init', '-q', '--bare', '--template=', `--object-format=${format}`, directory];
    await place.git.run(init, { cwd: directory });
    const objects = join(repository.commonDir, 'objects');
    await mkdir(join(directory, 'objects', 'info'), { recursive: true });
    await writeFile(join(directory, 'objects', 'info', 'alternates'), `${objects}\n`);
    const call = { cwd: directory, env: { GIT_DIR: directory } };
    for (const [n, commit] of known.entries()) {
      await place.git.run(['update-ref', `refs/pawl/known/${n}`, commit], call);
    }
    return await look({ directory, call });
  } finally {
    await removeTree(directory, join(place.home, 'trash'));
  }
}
