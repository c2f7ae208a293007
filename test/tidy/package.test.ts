/** Rules about the package: what it pins, what it ships, what it needs. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Source } from './sources.ts';

interface Package {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly scripts: Readonly<Record<string, string>>;
  readonly bin: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
}
const pack = JSON.parse(readFileSync('package.json', 'utf8')) as Package;

test('every dependency is pinned exactly', () => {
  const all = Object.entries({ ...pack.dependencies, ...pack.devDependencies });
  expect(all.filter(([, version]) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version)).join('\n')).toBe(
    '',
  );
});

test('no installation script of ours runs, so nothing is compiled on install', () => {
  const scripts = ['preinstall', 'install', 'postinstall', 'prepare'];
  expect(scripts.filter((name) => name in pack.scripts).join('\n')).toBe('');
});

test('docs/dependencies.md has a line for each runtime dependency, and for no other', () => {
  const page = readFileSync('docs/dependencies.md', 'utf8');
  const named = [...page.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name);
  expect(named.sort()).toEqual(Object.keys(pack.dependencies).sort());
});

test('every npm script that a script calls exists', () => {
  const called = Object.values(pack.scripts).flatMap((line) =>
    [...line.matchAll(/\bnpm run ([\w:-]+)/g)].map(([, name]) => name ?? ''),
  );
  expect(called.filter((name) => !(name in pack.scripts)).join('\n')).toBe('');
});

test('every tool that a script starts exists', () => {
  const tools = Object.values(pack.scripts).flatMap((line) =>
    [...line.matchAll(/\bnode (tools\/[\w/.-]+)/g)].map(([, path]) => path ?? ''),
  );
  expect(tools.filter((path) => !existsSync(path)).join('\n')).toBe('');
});

describe('what is built', () => {
  beforeAll(() => {
    execFileSync(process.execPath, ['tools/build.mjs'], { stdio: 'pipe' });
  }, 60_000);

  test('what the package names is what the build makes', () => {
    const tool = readFileSync('tools/build.mjs', 'utf8');
    const entries = [...tool.matchAll(/^ {2}'?([\w-]+)'?: '(src\/[\w/-]+\.ts)',$/gm)];
    const present = entries.filter(([, , source]) => existsSync(source ?? ''));
    const missing = present.filter(([, name]) => !existsSync(`dist/${name}.js`));
    expect(entries.length).toBeGreaterThanOrEqual(6);
    expect(missing.map(([, name]) => name).join('\n')).toBe('');
    const targets = [
      ...Object.values(pack.bin),
      ...Object.values(pack.exports).flatMap((value) =>
        typeof value === 'string' ? [] : [value.default],
      ),
    ].map((path) => path.replace(/^(?:\.\/)?dist\//, ''));
    const paths = built().map(({ path }) => path.replace(/^dist\//, ''));
    expect(targets.filter((path) => !paths.includes(path)).join('\n')).toBe('');
  });

  test('no fault point is shipped: nothing built is one, and no program is given one (RR-43)', () => {
    // A caller writes `points?.reached(name)`; an object that has the method is an implementation.
    const made = /(?<![.\w$])(?<!function )reached\s*(?:\([^)]*\)\s*\{|:)/;
    const files = built().filter(({ text }) => made.test(text));
    expect(files.map(({ path }) => path).join('\n')).toBe('');
    const tool = readFileSync('tools/build.mjs', 'utf8');
    const entries = [...tool.matchAll(/'(src\/main\/[\w-]+\.ts)'/g)].map(([, path]) => path ?? '');
    expect(entries.length).toBeGreaterThanOrEqual(8);
    const given = ['src/main/pawl-program.ts', ...entries].filter((path) => {
      const text = readFileSync(path, 'utf8');
      const calls = [...text.matchAll(/\b(?:\w+Program|pawl)\(([^)]*)\)/g)];
      const isPlain = calls.every(([, args]) =>
        /^(?:entry: string|import\.meta\.url|__filename)$/.test(args ?? ''),
      );
      return !isPlain || /\bfaults?\b|FaultPoints/.test(text);
    });
    expect(given.join('\n')).toBe('');
  });

  test('no test code is shipped', () => {
    const imports = /from\s*["'](?:vitest|fast-check)["']/;
    const files = built().filter(({ text }) => imports.test(text));
    expect(files.map(({ path }) => path).join('\n')).toBe('');
  });

  test('what starts often loads neither the schema library nor the YAML reader', () => {
    const loaded = ['dist/status.cjs', ...reached(['dist/pawl.js', 'dist/driver.js'])];
    const heavy = loaded.filter((path) =>
      /ZodError|YAMLParseError/.test(readFileSync(path, 'utf8')),
    );
    expect(heavy.join('\n')).toBe('');
  });
});

/** What the newest build wrote; chunks of earlier ones may lie beside it for a while. */
function built(): readonly Source[] {
  const stamp = JSON.parse(readFileSync('dist/.stamp.json', 'utf8')) as {
    readonly files: readonly string[];
  };
  expect(stamp.files.length).toBeGreaterThan(0);
  return stamp.files.map((name) => {
    const path = join('dist', name);
    return { path, text: readFileSync(path, 'utf8') };
  });
}

/** Files that are loaded with these: static imports, and theirs. */
function reached(entries: readonly string[]): readonly string[] {
  const seen = new Set(entries.filter((path) => existsSync(path)));
  for (const path of seen) {
    const imports = readFileSync(path, 'utf8').matchAll(
      /^(?:import|export)\b[^;'"]*["'](\.[^"']+)["']/gm,
    );
    for (const [, target] of imports) seen.add(join(dirname(path), target ?? ''));
  }
  return [...seen];
}
