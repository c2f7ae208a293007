/**
 * Task runners: a target `check`, else `ci`, else `test` wins over what the language itself
 * offers, and a target `setup` over the language's own (UX 1.3).
 */
import type { Found } from '../ports/detection.ts';
import { check, nothing } from './detected.ts';
import { asObject, type Folder, firstOf, mapIn, textOf } from './folder.ts';

interface Runner {
  readonly program: string;
  readonly files: readonly string[];
  readonly targets: (name: string, text: string) => ReadonlySet<string>;
}

/** In this order when a folder has several. */
const runners: readonly Runner[] = [
  { program: 'make', files: ['GNUmakefile', 'makefile', 'Makefile'], targets: makeTargets },
  { program: 'just', files: ['justfile', 'Justfile', '.justfile'], targets: justRecipes },
  {
    program: 'task',
    files: ['Taskfile.yml', 'Taskfile.yaml', 'taskfile.yml', 'taskfile.yaml'],
    targets: taskNames,
  },
];
const wanted = ['check', 'ci', 'test'] as const;

export async function targets(folder: Folder): Promise<Found> {
  const founds: Found[] = [];
  for (const runner of runners) founds.push(await targetsOf(folder, runner));
  const withChecks = founds.filter(({ checks }) => checks.length > 0);
  const [chosen, ...others] = withChecks;
  return {
    packageManager: null,
    setup: founds.find(({ setup }) => setup !== null)?.setup ?? null,
    checks: chosen?.checks ?? [],
    notes: others.flatMap(({ checks }) =>
      checks.map(({ command, from }) => `${command} (${from}) was found too`),
    ),
  };
}

async function targetsOf(folder: Folder, runner: Runner): Promise<Found> {
  const file = firstOf(folder, runner.files);
  const text = file === null ? null : await textOf(folder, file);
  if (file === null || text === null) return nothing;
  const names = runner.targets(file, text);
  const name = wanted.find((candidate) => names.has(candidate));
  const command = (target: string): string => `${runner.program} ${target}`;
  const from = (target: string): string => `${file} target ${target}`;
  return {
    ...nothing,
    setup: names.has('setup') ? { command: command('setup'), from: from('setup') } : null,
    checks: name === undefined ? [] : [check('test', command(name), from(name))],
  };
}

/** Rules in the first column; assignments, patterns and special targets are none. */
function makeTargets(_: string, text: string): ReadonlySet<string> {
  const rules = text.matchAll(/^([\w./ -]+?)\s*::?(?![=:])/gm);
  return new Set([...rules].flatMap(([, names]) => (names ?? '').trim().split(/\s+/)));
}

/** A recipe that needs an argument cannot be a check. */
function justRecipes(_: string, text: string): ReadonlySet<string> {
  const recipes = text.matchAll(/^@?([A-Za-z_][\w-]*)((?:\s+[^:\n]*)?):(?!=)/gm);
  return new Set(
    [...recipes].flatMap(([, name, parameters]) =>
      (parameters ?? '')
        .trim()
        .split(/\s+/)
        .every((word) => word === '' || word.includes('=') || word.startsWith('*'))
        ? [name ?? '']
        : [],
    ),
  );
}

function taskNames(name: string, text: string): ReadonlySet<string> {
  return new Set(Object.keys(asObject(mapIn(name, text)?.['tasks']) ?? {}));
}
