/** Criteria of the file form to the canonical one; a criterion has exactly one kind. */
import { RequestError } from '../kernel/errors.ts';
import type { CriterionValue } from './definition.ts';
import { type CriterionFile, criterionKinds } from './definition-file.ts';
import { parseDuration } from './duration.ts';
import { pathProblem, refused } from './paths.ts';

const timeoutDefaultMs = 600_000;
const next = 'correct it, and try:  pawl config check';
type Kind = (typeof criterionKinds)[number];
const commandKinds: readonly Kind[] = ['test', 'build', 'lint', 'command'];

/** A problem instead of a value where the criterion says too little, too much, or nonsense. */
export function criterionOf(file: CriterionFile, where: string): CriterionValue | RequestError {
  const kind = kindOf(file, where);
  if (kind instanceof Error) return kind;
  const timeoutMs =
    file.timeout === undefined ? timeoutDefaultMs : (parseDuration(file.timeout) ?? 0);
  if (timeoutMs < 1)
    return new RequestError('bad_value', '"timeout" must be longer than nothing', {
      where,
      found: file.timeout ?? '',
      allowed: 'a span like 90s, 15m, 8h or 1h30m',
      next,
    });
  const text = file[kind] ?? '';
  if (isCommand(kind)) return commandCriterion(kind, text, timeoutMs, file);
  if (kind === 'fileExists') {
    const what = pathProblem(text);
    if (what !== null) return refused('fileExists', what, { where, found: text });
    return { kind, path: text, timeoutMs };
  }
  return kind === 'manual' ? { kind, look: text, timeoutMs } : { kind, question: text, timeoutMs };
}

function kindOf(file: CriterionFile, where: string): Kind | RequestError {
  const kinds = criterionKinds.filter((kind) => file[kind] !== undefined);
  const [kind] = kinds;
  if (kind === undefined || kinds.length > 1) {
    return new RequestError('bad_value', 'a criterion has exactly one kind', {
      where,
      found: kinds.length === 0 ? 'none' : kinds.join(' and '),
      allowed: criterionKinds.join(', '),
      next,
    });
  }
  const stray = strayKey(file, kind);
  if (stray === null) return kind;
  return new RequestError('bad_value', `"${stray}" means nothing for a ${kind} criterion`, {
    where,
    found: kind,
    next,
    allowed: stray === 'expect' ? 'test, build, lint, command' : 'test',
  });
}

function commandCriterion(
  kind: 'test' | 'build' | 'lint' | 'command',
  command: string,
  timeoutMs: number,
  file: CriterionFile,
): CriterionValue {
  const rule = file.expect?.testsRun;
  return {
    kind,
    command,
    timeoutMs,
    expectExit: file.expect?.exit ?? 0,
    testsRunMoreThan: rule === undefined ? null : Number(rule.slice(1)),
    redFirst: file.redFirst ?? false,
  };
}

function isCommand(kind: Kind): kind is 'test' | 'build' | 'lint' | 'command' {
  return commandKinds.includes(kind);
}

function strayKey(file: CriterionFile, kind: Kind): 'expect' | 'redFirst' | null {
  if (file.expect !== undefined && !isCommand(kind)) return 'expect';
  if (file.expect?.testsRun !== undefined && kind !== 'test') return 'expect';
  return file.redFirst === true && kind !== 'test' ? 'redFirst' : null;
}

/** How the goal will be verified, in one sentence per criterion, for the record (XP-7). */
export function planOf(criteria: readonly CriterionValue[]): string {
  return criteria.map(phrase).join('; ');
}

export function phrase(criterion: CriterionValue): string {
  switch (criterion.kind) {
    case 'fileExists':
      return `${criterion.path} exists`;
    case 'oracle':
    case 'observer':
      return `${criterion.kind}: ${criterion.question}`;
    case 'manual':
      return `a human looks: ${criterion.look}`;
    default:
      return criterion.command;
  }
}
