/** Rules about the pages: what they name exists, and what is generated is fresh. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { readLayer } from '../../src/contract/layer.ts';
import { errorCodes } from '../../src/kernel/error-codes.ts';
import { pages, shipped } from './sources.ts';

/** The configuration is plain JavaScript, without types. */
const { layers } = (await import('../../.dependency-cruiser.mjs' as string)) as {
  readonly layers: Readonly<Record<string, readonly string[]>>;
};
const page = (path: string): string => readFileSync(path, 'utf8');
const scripts = (
  JSON.parse(page('package.json')) as { readonly scripts: Readonly<Record<string, string>> }
).scripts;

/** Scripts of the projects that pages take as examples. */
const ofUsers = ['lint', 'build'];

test('every npm script that a page prints exists', () => {
  const printed = pages.flatMap(({ path, text }) =>
    [...text.matchAll(/\bnpm run ([a-z][\w:-]*)/g)].map(([, name]) => ({ path, name: name ?? '' })),
  );
  expect(printed.length).toBeGreaterThan(0);
  expect(
    printed
      .filter(({ name }) => !(name in scripts) && !ofUsers.includes(name))
      .map(({ path, name }) => `${path}: ${name}`)
      .join('\n'),
  ).toBe('');
});

test('every link inside the repository leads somewhere', () => {
  const dead = pages.flatMap(({ path, text }) =>
    [...text.matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)(?:#[^)]*)?\)/g)]
      .map(([, target]) => join(dirname(path), target ?? ''))
      .filter((target) => !existsSync(target))
      .map((target) => `${path} → ${target}`),
  );
  expect(dead.join('\n')).toBe('');
});

test('every YAML block of a page is a definition that the program reads', () => {
  const blocks = pages.flatMap(({ path, text }) =>
    [...text.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, yaml]) => ({
      path,
      yaml: yaml ?? '',
    })),
  );
  expect(blocks.length).toBeGreaterThan(0);
  const refused = blocks.flatMap(({ path, yaml }) => {
    const kind = yaml.startsWith('# config.yaml\n') ? 'user' : 'project';
    const reading = readLayer('pawl.yaml', yaml, kind);
    return reading.ok
      ? []
      : [`${path}: ${reading.problems.map(({ message }) => message).join('; ')}`];
  });
  expect(refused.join('\n')).toBe('');
});

test('README.md has its parts in their order, and nothing before them but the name', () => {
  const text = page('README.md');
  expect(text).toMatch(/^# pawl\n\n[^#]*?\n1\. [^#]*?\n2\. [^#]*?\n3\. /);
  const parts = [...text.matchAll(/^## (.*)$/gm)].map(([, name]) => name);
  expect(parts).toEqual([
    'Try it',
    'In your repository',
    'What you find in the morning',
    'What it does not do',
    'Agents',
    'More',
  ]);
});

/** A path in backticks; a pattern (`*`, `<name>`) and the table of layers are not paths. */
const named = /`((?:src|test|tools|docs|examples|bench|\.ci)\/[\w./-]+)`/g;

test('every path that ARCHITECTURE, CONTRIBUTING, AGENTS and the docs name exists', () => {
  const dead = pages.flatMap(({ path, text }) =>
    text
      .split('\n')
      .filter((line) => !/^\| `src\/\w+` \|/.test(line))
      .flatMap((line) => [...line.matchAll(named)].map(([, target]) => target ?? ''))
      .filter((target) => !existsSync(target))
      .map((target) => `${path}: ${target}`),
  );
  expect(dead.join('\n')).toBe('');
});

test('the folder table of ARCHITECTURE.md is the table that the check holds', () => {
  const rows = [...page('ARCHITECTURE.md').matchAll(/^\| `src\/(\w+)` \|[^|]*\|([^|]*)\|$/gm)];
  const table = Object.fromEntries(rows.map(([, name, allowed]) => [name, (allowed ?? '').trim()]));
  const held = Object.fromEntries(
    Object.entries(layers).map(([name, allowed]) => [
      name,
      name === 'main' ? 'all' : allowed.length === 0 ? '–' : allowed.join(', '),
    ]),
  );
  expect(table).toEqual(held);
});

test('ARCHITECTURE.md is at most 300 lines and has its parts', () => {
  const text = page('ARCHITECTURE.md');
  expect(text.split('\n').length).toBeLessThanOrEqual(300);
  const parts = [
    /^## Words/m,
    /^## Processes/m,
    /^## Folders/m,
    /^## Life of a run/m,
    /^## .*rules/m,
    /^## .*survives/m,
  ];
  expect(parts.filter((part) => !part.test(text)).join('\n')).toBe('');
});

test('CHANGELOG.md opens with what is unreleased', () => {
  expect(page('CHANGELOG.md')).toMatch(/^# Changelog\n[^#]*## \[?Unreleased/);
});

test('decision records have a number of their own and their three parts', () => {
  const names = readdirSync('docs/adr').sort();
  expect(names.filter((name) => !/^\d{4}-[a-z0-9-]+\.md$/.test(name)).join('\n')).toBe('');
  expect(new Set(names.map((name) => name.slice(0, 4))).size).toBe(names.length);
  const parts = [/^## Context/m, /^## Decision/m, /^## Consequences/m];
  const incomplete = names.filter((name) =>
    parts.some((part) => !part.test(page(join('docs/adr', name)))),
  );
  expect(incomplete.join('\n')).toBe('');
});

test.each(['state-tables', 'errors', 'reference', 'openapi', 'requirements'])(
  'what npm run docs makes by %s is fresh',
  (tool) => {
    const run = spawnSync(process.execPath, [`tools/${tool}.mjs`, '--check'], { encoding: 'utf8' });
    expect({ status: run.status, stderr: run.stderr }).toEqual({ status: 0, stderr: '' });
  },
);

test('error codes stand in alphabetical order', () => {
  const codes = Object.keys(errorCodes);
  expect(codes).toEqual([...codes].sort());
});

test('docs/errors.md and the registry name the same codes', () => {
  const documented = [...page('docs/errors.md').matchAll(/^### `([\w.]+)`$/gm)].map(
    ([, code]) => code,
  );
  expect(documented.sort()).toEqual(Object.keys(errorCodes).sort());
});

test('every code of the registry is given by some code', () => {
  const elsewhere = shipped
    .filter(({ path }) => path !== 'src/kernel/error-codes.ts')
    .map(({ text }) => text)
    .join('\n');
  const unused = Object.keys(errorCodes).filter((code) => !elsewhere.includes(`'${code}'`));
  expect(unused.join('\n')).toBe('');
});
