/**
 * What of the work deserves a human's eyes first (UX 3.3): changed tests or checks, files outside
 * the usual scope, new dependencies, the largest file. At most three things. Pure; it reads the
 * patch as text and counts what is written in it, and what it cannot tell it does not say.
 */
import { quotePath } from '../../kernel/text.ts';
import type { Finding } from '../../ports/words.ts';
import type { ChangedFile } from '../../ports/workspace.ts';
import { clean } from '../text.ts';

export interface Work {
  readonly changed: readonly ChangedFile[];
  /** Null where nobody can tell. */
  readonly patch: string | null;
  /** Scripts that the checks run and that the work changed. */
  readonly checkChanged: readonly string[];
  readonly findings: readonly Finding[];
}

const thingsMax = 3;
/** A file with fewer changed lines is read anyway. */
const largeLines = 100;

const testPath = /(^|\/)(tests?|spec|__tests__)\/|[._-](test|spec)\.\w+$|(^|\/)test_\w+\.py$/i;
const manifest =
  /(^|\/)(package\.json|pyproject\.toml|requirements[\w.-]*\.txt|Cargo\.toml|go\.mod|Gemfile|composer\.json)$/;
const lockFile = /(^|\/)([\w.-]*\.lock|[\w.-]*-lock\.(?:json|yaml)|go\.sum|bun\.lockb)$/;
const configuration =
  /^\.(?!changeset\/)|(^|\/)(Dockerfile|Makefile|justfile|Taskfile\.yml|[\w.-]+\.config\.\w+|tsconfig[\w.-]*\.json)$/;

/** `test/parse.test.ts   a test file changed (2 tests added, 0 removed, 0 skipped)` */
export function lookAt(work: Work): readonly string[] {
  const outside = new Set(
    work.findings.filter(({ kind }) => kind === 'drift').flatMap(({ paths }) => paths),
  );
  const parts = partsOf(work.patch);
  const groups = [
    ...work.changed.filter(({ path }) => testPath.test(path)).map((file) => testWords(file, parts)),
    ...work.checkChanged.map((path) => [path, 'a script that the checks run changed'] as const),
    ...work.changed.flatMap(({ path }) => outsideWords(path, outside)),
    ...work.changed
      .filter(({ path }) => manifest.test(path))
      .map((file) => dependency(file, parts)),
    ...work.changed
      .filter(({ path }) => lockFile.test(path))
      .map(({ path }) => [path, 'locked versions changed'] as const),
    ...largest(work.changed),
  ];
  const named = new Map<string, string>();
  for (const [path, why] of groups) if (!named.has(path)) named.set(path, why);
  return [...named].slice(0, thingsMax).map(([path, why]) => `${quotePath(path)}   ${why}`);
}

type Thing = readonly [path: string, why: string];

function outsideWords(path: string, outside: ReadonlySet<string>): Thing[] {
  if (outside.has(path)) return [[path, 'outside the scope of this run']];
  return configuration.test(path) ? [[path, 'configuration, not source']] : [];
}

function largest(changed: readonly ChangedFile[]): Thing[] {
  const linesOf = ({ added, removed }: ChangedFile): number => (added ?? 0) + (removed ?? 0);
  const [most] = [...changed].sort((a, b) => linesOf(b) - linesOf(a));
  if (most === undefined || linesOf(most) < largeLines) return [];
  return [[most.path, `the largest change, +${most.added ?? 0} −${most.removed ?? 0}`]];
}

const testStart =
  /^\s*(?:(?:test|it|specify)(?:\.\w+)*\s*[(`]|(?:async\s+)?def test_|func Test\w*\(|#\[(?:\w+::)?test\b|@Test\b|(?:it|specify|test)\s+["'])/;
const skipMark =
  /\b(?:test|it|describe)\.(?:skip|todo)\b|\bx(?:it|test|describe)\s*\(|@(?:pytest\.mark\.(?:skip|xfail)|unittest\.skip|Disabled|Ignore)\b|#\[ignore|\bt\.Skip(?:Now)?\(/;

function testWords({ path, status }: ChangedFile, parts: Parts): Thing {
  const verb = { added: 'was added', deleted: 'was deleted' }[String(status)] ?? 'changed';
  const part = parts.get(path);
  if (part === undefined || status === 'deleted') return [path, `a test file ${verb}`];
  const [added, removed] = [part.added, part.removed].map((l) => l.filter(isTest).length);
  const skipped = part.added.filter(isSkip).length - part.removed.filter(isSkip).length;
  const tests = added === 1 ? 'test' : 'tests';
  const counts = `${added} ${tests} added, ${removed} removed, ${Math.max(0, skipped)} skipped`;
  return [path, `a test file ${verb} (${counts})`];
}
const isTest = (line: string): boolean => testStart.test(line);
const isSkip = (line: string): boolean => skipMark.test(line);

const npmLine = /^\s*"(@?[\w./-]+)":\s*"(?:[\^~><=]*\d|workspace:|npm:|git|https?:|\*)/;

function dependency({ path }: ChangedFile, parts: Parts): Thing {
  const part = parts.get(path);
  const names = (lines: readonly string[]): string[] =>
    lines.flatMap((line) => npmLine.exec(line)?.[1] ?? []).filter((name) => name !== 'version');
  const before = new Set(names(part?.removed ?? []));
  const fresh = names(part?.added ?? []).filter((name) => !before.has(name));
  if (!path.endsWith('package.json') || fresh.length === 0) {
    return [path, 'dependencies may have changed'];
  }
  const more = fresh.length > 3 ? `, ${fresh.length - 3} more` : '';
  return [path, `new dependencies: ${fresh.slice(0, 3).map(clean).join(', ')}${more}`];
}

interface Part {
  readonly added: string[];
  readonly removed: string[];
}
type Parts = ReadonlyMap<string, Part>;

/** The changed lines of each file, by its new path. */
function partsOf(patch: string | null): Parts {
  const files = (patch ?? '').split(/^diff --git /m).slice(1);
  return new Map(files.flatMap(partOf));
}

function partOf(file: string): (readonly [string, Part])[] {
  const lines = file.split('\n');
  const body = lines.findIndex((line) => line.startsWith('@@'));
  const head = lines.slice(0, body).find((line) => line.startsWith('+++ b/'));
  if (body < 0 || head === undefined) return [];
  const changed = (sign: string): string[] =>
    lines
      .slice(body)
      .filter((line) => line.startsWith(sign))
      .map((line) => line.slice(1));
  return [[head.slice(6).replace(/\t$/, ''), { added: changed('+'), removed: changed('-') }]];
}
