/** Globs over paths of a repository, and the `file.json#key` form of a protected entry. */
import picomatch from 'picomatch';
import { isFields } from '../kernel/json.ts';

/**
 * A glob, or a plain path that also means everything below it; `./` and a leading `/` mean nothing.
 */
function normalized(glob: string): readonly string[] {
  const plain = glob.normalize('NFC').replace(/^(\.?\/)+/, '');
  if (plain.endsWith('/')) return [`${plain}**`];
  return picomatch.scan(plain).isGlob ? [plain] : [plain, `${plain}/**`];
}

/**
 * Whether one of the globs names the path; names are compared in one Unicode form, dot files count.
 */
export function matcher(globs: readonly string[]): (path: string) => boolean {
  const exact = new Set(globs.map((glob) => glob.normalize('NFC')));
  const patterns = globs.flatMap(normalized);
  const isMatch = picomatch(patterns, { dot: true, nonegate: true, windows: false });
  return (path) => {
    const name = path.normalize('NFC');
    return exact.has(name) || (patterns.length > 0 && isMatch(name.replace(/\/$/, '')));
  };
}

export interface ProtectedKey {
  /** Glob of the file. */
  readonly file: string;
  /** Steps into the JSON; `scripts.test` and `/scripts/test` are the same. */
  readonly steps: readonly string[];
}

/** The `#key` entries apart from the plain globs. */
export function splitProtected(entries: readonly string[]): {
  readonly globs: readonly string[];
  readonly keys: readonly ProtectedKey[];
} {
  const globs: string[] = [];
  const keys: ProtectedKey[] = [];
  for (const entry of entries) {
    const key = /^(.+\.json)#(.+)$/.exec(entry);
    const [, file, pointer] = key ?? [];
    if (file === undefined || pointer === undefined) globs.push(entry);
    else keys.push({ file, steps: stepsOf(pointer) });
  }
  return { globs, keys };
}

function stepsOf(pointer: string): readonly string[] {
  if (!pointer.startsWith('/')) return pointer.split('.');
  return pointer
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

export const keyName = (path: string, key: ProtectedKey): string =>
  `${path}#${key.steps.join('.')}`;

/** The value under the key; undefined when there is none. @throws SyntaxError for bad JSON. */
export function valueAt(json: string, steps: readonly string[]): unknown {
  let value: unknown = JSON.parse(json);
  for (const step of steps) value = isFields(value) ? value[step] : undefined;
  return value;
}

/** Same text with that key's value put in (undefined: taken out); indentation as it was. */
export function withValueAt(json: string, steps: readonly string[], value: unknown): string {
  const root: unknown = JSON.parse(json);
  const indent = /^[ \t]+/m.exec(json)?.[0] ?? '  ';
  const changed = replaced(root, steps, value);
  return `${JSON.stringify(changed, null, indent)}${json.endsWith('\n') ? '\n' : ''}`;
}

function replaced(node: unknown, steps: readonly string[], value: unknown): unknown {
  const [step, ...rest] = steps;
  if (step === undefined) return value;
  const object = isFields(node) ? node : {};
  const inner = replaced(object[step], rest, value);
  if (inner !== undefined) return { ...object, [step]: inner };
  const { [step]: _gone, ...others } = object;
  return others;
}

/** Whether the key has the same value on both sides; unreadable JSON is never the same. */
export function isSameAt(before: string | null, after: string | null, key: ProtectedKey): boolean {
  if (before === after) return true;
  try {
    const [a, b] = [before, after].map((json) =>
      json === null ? undefined : valueAt(json, key.steps),
    );
    return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
  } catch (error: unknown) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isFields(value)) return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, sorted(inner)] as const);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
