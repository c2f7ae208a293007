/** Tells whether the project's file of settings is still what a run was started with (UX 4.3). */
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import type { Definition } from '../ports/words.ts';
import type { Context } from './command.ts';

/** What a definition keeps of the file; null: the project has none. */
export async function settingsPrint(
  context: Pick<Context, 'io'>,
  file: string | null,
): Promise<NonNullable<Definition['settings']> | null> {
  if (file === null) return null;
  const text = await context.io.readFile(file);
  return text === null ? null : { file, digest: digestOf(text) };
}

/** Null: it is the same, or nobody kept what it was. A file that is gone has changed. */
export async function changedSettings(
  context: Pick<Context, 'io'>,
  { settings }: Pick<Definition, 'settings'>,
): Promise<string | null> {
  if (settings === undefined) return null;
  const text = await context.io.readFile(settings.file);
  const isSame = text !== null && digestOf(text) === settings.digest;
  return isSame ? null : `${basename(settings.file)} has changed since`;
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');
