/**
 * What of a repository's private settings decides how files look in a check tree: filters, line
 * ends, attributes, ignore rules. Every agent of the repository can write them, so they are read
 * before the agent of a run works, kept beside the pool, and taken from there when its work is
 * judged: a filter that an agent plants changes no check tree (L-A14).
 */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readSettings } from './clone.ts';
import { exists, unique } from './files.ts';
import type { Place, Repository } from './repository.ts';

export interface KeptSettings {
  /** `key\nvalue` entries with NULs between. */
  readonly config: string;
  /** Files of `info/` by name. */
  readonly info: Readonly<Record<string, string>>;
}

const names = ['exclude', 'attributes'] as const;

/** `refresh`: read anew from the repository, since nobody has worked for this run yet. */
export async function keptSettings(
  place: Place,
  pool: string,
  source: Repository,
  refresh: boolean,
): Promise<KeptSettings> {
  const file = join(pool, 'settings.json');
  if (!refresh && (await exists(file))) return JSON.parse(await readFile(file, 'utf8'));
  const info: Record<string, string> = {};
  for (const name of names) {
    const path = join(source.commonDir, 'info', name);
    if (await exists(path)) info[name] = await readFile(path, 'latin1');
  }
  const settings: KeptSettings = { config: await readSettings(place, source.commonDir), info };
  const draft = `${file}.${unique()}`;
  await writeFile(draft, JSON.stringify(settings), { mode: 0o600 });
  await rename(draft, file);
  return settings;
}

export async function writeInfo({ info }: KeptSettings, gitDir: string): Promise<void> {
  await mkdir(join(gitDir, 'info'), { recursive: true });
  for (const name of names) {
    const text = info[name];
    if (text !== undefined) await writeFile(join(gitDir, 'info', name), text, 'latin1');
  }
}
