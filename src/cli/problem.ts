/** Errors as people read them (UX 4.4) and as programs do. */
import { errorCodes } from '../kernel/error-codes.ts';
import { ConfigError, type ErrorDetails, ProductError, RequestError } from '../kernel/errors.ts';

type Code = keyof typeof errorCodes;

export interface Problem {
  readonly code: string;
  readonly what: string;
  readonly where: string | null;
  readonly so: string | null;
  readonly found: string | null;
  readonly allowed: string | null;
  readonly next: string;
  readonly exit: number;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly cause: string | null;
}

/** Every problem that an error carries; null for what is not an error of ours (a bug). */
export function problemsOf(error: unknown): readonly Problem[] | null {
  if (error instanceof ConfigError) return error.problems.map(problemOf);
  return error instanceof ProductError ? [problemOf(error)] : null;
}

function problemOf(error: ProductError): Problem {
  const row = errorCodes[error.code as Code];
  const { where, so, found, allowed, next, facts } = error.details;
  return {
    code: error.code.replaceAll('.', '_'),
    what: error.message,
    where: blank(where),
    so: blank(so),
    found: blank(found),
    allowed: blank(allowed),
    next: next ?? row.next,
    exit: row.exit,
    facts: facts ?? {},
    cause: error.cause instanceof Error ? error.cause.message : null,
  };
}
function blank(text: string | undefined): string | null {
  return text === undefined || text === '' ? null : text;
}

/** `error[code] where: what`, then so, found, allowed, next. */
export function problemLines(problem: Problem, isVerbose: boolean, kind = 'error'): string[] {
  const where = problem.where === null ? '' : ` ${problem.where}`;
  const rows = [
    ['so', problem.so],
    ['found', problem.found],
    ['allowed', problem.allowed],
    ['cause', isVerbose ? problem.cause : null],
    ['next', problem.next],
  ] as const;
  const below = rows.flatMap(([label, value]) =>
    value === null
      ? []
      : value.split('\n').map((line, i) => `  ${(i === 0 ? label : '').padEnd(12)} ${line}`),
  );
  return [`${kind}[${problem.code}]${where}: ${problem.what}`, ...below];
}

/** What is said and refuses nothing, in the same form. */
export function warningLines(code: Code, what: string, details: ErrorDetails): string[] {
  return problemLines(problemOf(new RequestError(code, what, details)), false, 'warning');
}

/** The one object of a failed `--json` command. */
export function problemJson(
  problems: readonly Problem[],
  exit: number,
): Readonly<Record<string, unknown>> {
  const plain = problems.map(({ exit: _exit, cause: _cause, facts, ...rest }) => ({
    ...rest,
    ...facts,
  }));
  return { schema: 'pawl.error/1', exit, error: plain[0], errors: plain };
}
