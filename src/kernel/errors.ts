import type { ErrorCode } from './error-codes.ts';

/** Root of every error this product throws on purpose; `code` is stable and documented. */
export abstract class ProductError extends Error {
  /** Whether the same call, unchanged, may succeed later. */
  abstract readonly retryable: boolean;
  readonly code: ErrorCode;
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, what: string, details: ErrorDetails = {}, cause?: unknown) {
    super(what, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.code = code;
    this.details = details;
  }
}

/**
 * What a message shows below its first line (UX 4.4): what was found, what is allowed, what to
 * type.
 */
export interface ErrorDetails {
  /** `pawl.yaml:7:3` or a flag. */
  readonly where?: string;
  readonly found?: string;
  readonly allowed?: string;
  readonly so?: string;
  readonly next?: string;
  /** For programs: added to the JSON form. */
  readonly facts?: Readonly<Record<string, unknown>>;
}

/** The caller asked for something it may not have: HTTP 4xx, exit status 2. */
export class RequestError extends ProductError {
  readonly retryable = false;
}

/** The world was not ready: a lock, a timeout, a lost connection. */
export class TransientError extends ProductError {
  readonly retryable = true;
}

/** Something of the operator's set-up is wrong; every problem at once. */
export class ConfigError extends ProductError {
  readonly retryable = false;
  readonly problems: readonly RequestError[];

  constructor(problems: readonly [RequestError, ...RequestError[]]) {
    super(problems[0].code, problems[0].message, problems[0].details);
    this.problems = problems;
  }
}

/** The machine or a tool did not do what it must (a full disk, git, a lost tree). */
export class WorldError extends ProductError {
  readonly retryable = false;
}

/**
 * The status page and what it loads when it needs it are two bundles, each with its own copy of
 * these classes (tools/build.mjs): what one throws is an instance to the other by this mark.
 */
const mark = Symbol.for('pawl.error');

for (const [type, name] of [
  [RequestError, 'request'],
  [TransientError, 'transient'],
  [ConfigError, 'config'],
  [WorldError, 'world'],
] as const) {
  Object.defineProperty(type.prototype, mark, { value: name });
  Object.defineProperty(type, Symbol.hasInstance, { value: (it: unknown) => markOf(it) === name });
}
Object.defineProperty(ProductError, Symbol.hasInstance, {
  value: (it: unknown) => markOf(it) !== null,
});

function markOf(it: unknown): unknown {
  return typeof it === 'object' && it !== null ? (Reflect.get(it, mark) ?? null) : null;
}
