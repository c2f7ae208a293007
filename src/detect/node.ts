/** `package.json`: scripts as checks, the package manager's install as setup. */
import type { DetectedCheck, Found } from '../ports/detection.ts';
import { nothing } from './detected.ts';
import { asObject, type Folder, objectIn, textOf, textsIn } from './folder.ts';
import { scriptForm } from './one-shot.ts';
import { chooseManager, type ManagerName, managers } from './package-managers.ts';

/** Any of these alone stands for all checks. */
const whole = ['check', 'ci'] as const;
/** Cheapest first; the first name of a row that is there counts. */
const parts: readonly {
  readonly kind: DetectedCheck['kind'];
  readonly names: readonly string[];
}[] = [
  { kind: 'lint', names: ['lint'] },
  { kind: 'lint', names: ['typecheck', 'type-check', 'check-types'] },
  { kind: 'build', names: ['build'] },
  { kind: 'test', names: ['test'] },
];
/** What `npm init` writes where there is no test. */
const placeholder = /no test specified.*exit 1/;

export async function nodeProject(folder: Folder): Promise<Found> {
  const text = await textOf(folder, 'package.json');
  if (text === null) return nothing;
  const manifest = objectIn(text);
  if (manifest === null) return { ...nothing, notes: ['package.json is not valid JSON'] };
  const manager = await chooseManager(folder, textsIn(manifest).get('packageManager'));
  const { checks, notes } = checksOf(textsIn(manifest['scripts']), manager.name);
  const isInstalled = manager.isLocked || hasDependencies(manifest);
  return {
    packageManager: { name: manager.name, from: manager.from },
    setup: isInstalled ? { command: manager.setup, from: manager.from } : null,
    checks,
    notes: [
      ...manager.notes,
      ...notes,
      ...(isInstalled && !manager.isLocked
        ? ['no lock file: what setup installs may differ from day to day']
        : []),
    ],
  };
}

function hasDependencies(manifest: Readonly<Record<string, unknown>>): boolean {
  return ['dependencies', 'devDependencies', 'optionalDependencies', 'workspaces'].some((key) => {
    const value = manifest[key];
    return Array.isArray(value) ? value.length > 0 : Object.keys(asObject(value) ?? {}).length > 0;
  });
}

function checksOf(
  scripts: ReadonlyMap<string, string>,
  manager: ManagerName,
): { readonly checks: readonly DetectedCheck[]; readonly notes: readonly string[] } {
  const single = whole.find((name) => scripts.has(name));
  const wanted =
    single === undefined
      ? parts.flatMap(({ kind, names }) => {
          const name = names.find((candidate) => scripts.has(candidate));
          return name === undefined ? [] : [{ kind, name }];
        })
      : [{ kind: 'test' as const, name: single }];
  const checks: DetectedCheck[] = [];
  const notes: string[] = [];
  for (const { kind, name } of wanted) {
    const made = checkOf(kind, name, scripts.get(name) ?? '', manager);
    if (typeof made === 'string') notes.push(made);
    else checks.push(made);
  }
  return { checks, notes };
}

/** A sentence instead of a check where the script proves nothing or never ends. */
function checkOf(
  kind: DetectedCheck['kind'],
  name: string,
  script: string,
  manager: ManagerName,
): DetectedCheck | string {
  const from = `package.json scripts.${name}`;
  if (placeholder.test(script)) return `${from} is npm's placeholder, not a test`;
  const form = scriptForm(script);
  if (!form.watches) return { kind, command: scriptCommand(manager, name), from, instead: null };
  if (form.oneShot === null) return `${from} watches and never ends: "${script}"`;
  return { kind, command: execCommand(manager, form.oneShot), from, instead: script };
}

function scriptCommand(manager: ManagerName, name: string): string {
  // `bun test` is bun's own runner, not the script.
  const isShort = name === 'test' && manager !== 'bun';
  return isShort ? `${manager} test` : `${manager} run ${name}`;
}

/** Assignments stay in front: a check is run by a shell. */
function execCommand(manager: ManagerName, line: string): string {
  const [, assignments = '', rest = ''] = /^((?:\w+=\S*\s+)*)(.*)$/.exec(line) ?? [];
  return /^(?:npx|bunx|pnpm|yarn|node)\b/.test(rest)
    ? line
    : `${assignments}${managers[manager].exec} ${rest}`;
}
