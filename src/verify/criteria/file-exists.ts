/** A file must be there, inside the tree: a link that leads out of it does not count. */
import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import type { Criterion } from '../../domain/definition/definition.ts';
import { invariant } from '../../kernel/invariant.ts';
import type { AnyCriterion, CriterionFinding, CriterionKind } from './kind.ts';

type FileExists = Extract<Criterion, { kind: 'fileExists' }>;

export const fileExistsKind: CriterionKind = {
  kind: 'fileExists',
  judgedBy: 'runtime',
  what: (criterion) => `${fileExists(criterion).path} exists`,
  check: async (criterion, scene) => {
    const { path } = fileExists(criterion);
    return finding(await missing(scene.tree, join(scene.directory, path), path));
  },
};

function fileExists(criterion: AnyCriterion): FileExists {
  invariant('path' in criterion, 'a fileExists criterion has a path');
  return criterion as FileExists;
}

async function missing(tree: string, file: string, path: string): Promise<string | null> {
  try {
    const [root, real] = await Promise.all([realpath(tree), realpath(file)]);
    const inside = relative(root, real);
    if (isAbsolute(path) || inside === '..' || inside.startsWith(`..${sep}`)) {
      return `${path} leads out of the tree`;
    }
    return (await stat(real)).isFile() ? null : `${path} is not a file`;
  } catch (error: unknown) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    return code === 'ENOENT' || code === 'ENOTDIR' ? `${path} is not there` : `${path}: ${code}`;
  }
}

function finding(complaint: string | null): CriterionFinding {
  return {
    outcome: complaint === null ? 'passed' : 'failed',
    unrunnable: null,
    repeatable: false,
    isKilled: false,
    score: complaint === null ? 1 : 0,
    reasons: complaint === null ? [] : [complaint],
    exit: null,
    counts: null,
    durationMs: 0,
    output: null,
    excerpt: '',
    containment: null,
  };
}
