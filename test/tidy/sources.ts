/** The text of what is written by hand in this repository, read once. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Source {
  readonly path: string;
  readonly text: string;
}

/** Files below a folder with one of the endings; an absent folder has none. */
export function filesIn(folder: string, ...endings: readonly string[]): readonly Source[] {
  return entries(folder)
    .filter((path) => !/(?:^|\/)(?:node_modules|dist)\//.test(path))
    .filter((path) => endings.some((ending) => path.endsWith(ending)))
    .sort()
    .map((path) => ({ path: join(folder, path), text: readFileSync(join(folder, path), 'utf8') }));
}

function entries(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' });
  } catch (error: unknown) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

export const isTest = ({ path }: Source): boolean => /[.](?:test|suite)[.]ts$/.test(path);

export const sources = filesIn('src', '.ts');
export const shipped = sources.filter((source) => !isTest(source));
export const tests = [...sources.filter(isTest), ...filesIn('test', '.ts')];
export const tools = filesIn('tools', '.mjs');
export const everything: readonly Source[] = [
  ...sources,
  ...filesIn('test', '.ts'),
  ...tools,
  ...filesIn('examples', '.mjs', '.js'),
];

/** Pages that a reader follows; the copied requirement rows speak of other programs. */
export const pages: readonly Source[] = [
  ...filesIn('docs', '.md'),
  ...['README', 'ARCHITECTURE', 'CONTRIBUTING', 'AGENTS', 'CHANGELOG'].map((name) => ({
    path: `${name}.md`,
    text: readFileSync(`${name}.md`, 'utf8'),
  })),
].filter(({ path }) => path !== 'docs/requirements.rows.md');
