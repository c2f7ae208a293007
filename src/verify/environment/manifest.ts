/**
 * The stat manifest of prepared paths: size, mtime, ctime and inode of every file. Any write to a
 * file moves its ctime, which no program can set back; so equality means that nobody wrote there.
 * Contents are not read: 30,000 files cost half a second instead of minutes.
 */
import { walk } from './walk.ts';

/** One line per entry, ordered; equal manifests mean an untouched tree. */
export type Manifest = string;

export async function manifestOf(
  directory: string,
  paths: readonly string[],
  onCache?: (path: string) => void,
): Promise<Manifest> {
  const lines: string[] = [];
  for await (const entry of walk(directory, paths, onCache)) {
    const { size, mtimeNs, ctimeNs, ino, mode } = entry.stats;
    if (entry.kind === 'link') lines.push(`l ${JSON.stringify(entry.path)} ${entry.target}`);
    else if (entry.kind === 'directory') lines.push(`d ${JSON.stringify(entry.path)} ${mode}`);
    else lines.push(`f ${JSON.stringify(entry.path)} ${mode} ${size} ${mtimeNs} ${ctimeNs} ${ino}`);
  }
  return lines.join('\n');
}

/** At most `max` paths that are new, gone or changed, for people. */
export function differences(before: Manifest, after: Manifest, max = 5): readonly string[] {
  const [old, now] = [new Set(before.split('\n')), new Set(after.split('\n'))];
  const found = new Set<string>();
  for (const line of [...now, ...old]) {
    if (found.size >= max) break;
    if (line === '' || (now.has(line) && old.has(line))) continue;
    found.add(pathOf(line));
  }
  return [...found];
}

function pathOf(line: string): string {
  const quoted = /^. ("(?:[^"\\]|\\.)*")/.exec(line)?.[1];
  return quoted === undefined ? line : String(JSON.parse(quoted));
}
