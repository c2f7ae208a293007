/**
 * Checks and setup of a project, found in its files (UX 1.3): the nearest manifest upward from a
 * folder to the root of the repository counts, and its folder is where everything runs. Files are
 * read, never executed. Nothing is chosen here: all candidates come with their origin.
 */
import { dirname, join, relative } from 'node:path';
import type { Detected, DetectedSetup, Found } from '../ports/detection.ts';
import type { ProjectFiles } from '../ports/project-files.ts';
import { nothing } from './detected.ts';
import type { Folder } from './folder.ts';
import { languageProject, languages } from './languages.ts';
import { nodeProject } from './node.ts';
import { pythonProject } from './python.ts';
import { targets } from './targets.ts';

const foldersMax = 100;

/** In this order; each answers with `nothing` where its manifest is not. */
const kinds: readonly ((folder: Folder) => Promise<Found>)[] = [
  nodeProject,
  pythonProject,
  ...languages.map((language) => (folder: Folder) => languageProject(language, folder)),
];

/** `directory` is `root` or lies below it; both absolute. */
export async function detectProject(
  files: ProjectFiles,
  place: { readonly directory: string; readonly root: string },
): Promise<Detected> {
  const upward = foldersUpward(place.directory, place.root);
  for (const [index, path] of upward.entries()) {
    const names = new Set(await files.names(path));
    const folder: Folder = { path, names, files, upward: upward.slice(index) };
    const found = await manifestsIn(folder);
    if (found === null) continue;
    const environmentFiles = await environmentFilesIn(files, [path, place.root], place.root);
    return { ...found, cwd: relative(place.root, path), environmentFiles };
  }
  const environmentFiles = await environmentFilesIn(files, [place.root], place.root);
  return { ...nothing, cwd: null, environmentFiles };
}

/** Templates are committed and hold no value that a check could need. */
async function environmentFilesIn(
  files: ProjectFiles,
  folders: readonly string[],
  root: string,
): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const folder of folders) {
    for (const name of await files.names(folder)) {
      const isTemplate = /\.(?:example|sample|template|dist|defaults?)$/.test(name);
      if (/^\.env(?:\..+)?$/.test(name) && !isTemplate)
        found.add(relative(root, join(folder, name)));
    }
  }
  return [...found].sort();
}

function foldersUpward(directory: string, root: string): readonly string[] {
  const folders: string[] = [];
  let at = directory;
  for (let depth = 0; depth < foldersMax; depth += 1) {
    folders.push(at);
    if (at === root || dirname(at) === at) return folders;
    at = dirname(at);
  }
  return folders;
}

/** Null when the folder has no manifest. */
async function manifestsIn(folder: Folder): Promise<Found | null> {
  const runner = await targets(folder);
  const founds: Found[] = [];
  for (const kind of kinds) {
    const found = await kind(folder);
    if (found !== nothing) founds.push(found);
  }
  const hasRunner = runner.checks.length > 0 || runner.setup !== null;
  if (founds.length === 0 && !hasRunner) return null;
  const own = founds.flatMap(({ checks }) => checks);
  return {
    packageManager:
      founds.find(({ packageManager }) => packageManager !== null)?.packageManager ?? null,
    setup: runner.setup ?? joined(founds.flatMap(({ setup }) => (setup === null ? [] : [setup]))),
    checks: runner.checks.length > 0 ? runner.checks : cheapestFirst(own),
    notes: [...runner.notes, ...founds.flatMap(({ notes }) => notes)],
  };
}

/** A folder of two languages needs both of their setups. */
function joined(setups: readonly DetectedSetup[]): DetectedSetup | null {
  if (setups.length === 0) return null;
  return {
    command: setups.map(({ command }) => command).join(' && '),
    from: setups.map(({ from }) => from).join(', '),
  };
}

const costs = { lint: 0, build: 1, test: 2 } as const;

function cheapestFirst(checks: Found['checks']): Found['checks'] {
  return checks.toSorted((a, b) => costs[a.kind] - costs[b.kind]);
}
