/** Errors as they are told over HTTP; what is not an error of ours tells nothing but that. */
import type { ProblemBody, ProblemWords } from '../contract/operator/problem-body.ts';
import { type ErrorCode, errorCodes } from '../kernel/error-codes.ts';
import {
  ConfigError,
  ProductError,
  RequestError,
  TransientError,
  WorldError,
} from '../kernel/errors.ts';

/** Of the route that was asked. */
interface Limits {
  readonly bodyLimit?: number | undefined;
}

export interface Told {
  readonly status: number;
  readonly body: ProblemBody;
}

/** Never a stack trace, and of a bug not even its message. */
export function toldError(error: unknown, limits: Limits = {}): Told {
  const known = error instanceof ProductError ? error : requestProblem(error, limits);
  if (known === null) return bug;
  if (!(known instanceof ConfigError)) return { status: statusOf(known), body: bodyOf(known) };
  const [first, ...others] = known.problems;
  if (first === undefined) return bug;
  const rest = others.length === 0 ? {} : { others: others.map(wordsOf) };
  return { status: statusOf(first), body: { ...bodyOf(first), ...rest } };
}

const statusOf = ({ code }: ProductError): number => errorCodes[code].http;

const bug: Told = {
  status: errorCodes.internal_error.http,
  body: {
    code: 'internal_error',
    message: 'this is a bug of pawl; the runs and their work are not touched by it',
    next: 'the log of the server names a report',
    kind: 'world',
  },
};

const bodyOf = (error: ProductError): ProblemBody => ({ ...wordsOf(error), kind: kindOf(error) });

function kindOf(error: ProductError): ProblemBody['kind'] {
  if (error instanceof TransientError) return 'passing';
  return error instanceof RequestError ? 'request' : 'world';
}

function wordsOf({ code, message, details }: ProductError): ProblemWords {
  const { where, so, found, allowed, next, facts } = details;
  return {
    code,
    message,
    ...(where === undefined ? {} : { field: where }),
    ...(so === undefined ? {} : { so }),
    ...(found === undefined ? {} : { found }),
    ...(allowed === undefined ? {} : { allowed }),
    next: next ?? errorCodes[code].next,
    ...(facts === undefined ? {} : { facts: { ...facts } }),
  };
}

/** What the HTTP library says of a request. */
const libraryCodes: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'body_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'body_type',
  FST_ERR_CTP_INVALID_JSON_BODY: 'request_invalid',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'request_invalid',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'request_invalid',
  FST_ERR_BAD_URL: 'request_invalid',
  FST_ERR_ASYNC_CONSTRAINT: 'request_invalid',
};

function requestProblem(error: unknown, { bodyLimit }: Limits): RequestError | null {
  if (!(error instanceof Error)) return null;
  const named = 'code' in error ? String(error.code) : '';
  const code = libraryCodes[named];
  if (code !== undefined) {
    const isLimited = code === 'body_too_large' && bodyLimit !== undefined;
    const details = isLimited ? { allowed: `at most ${bodyLimit} bytes` } : {};
    return new RequestError(code, sentence(error.message), details);
  }
  // Broken JSON is told as a plain SyntaxError with the status of a bad request.
  const isBad = 'statusCode' in error && error.statusCode === 400;
  return isBad ? new RequestError('request_invalid', sentence(error.message)) : null;
}

const sentence = (text: string): string => text.slice(0, 300);

/** The same error on the other side of the wire. */
export function errorOf(body: ProblemBody): ProductError {
  const told = [body, ...(body.others ?? [])].map((one) => rebuilt(body.kind, one));
  const [first, ...others] = told;
  if (first === undefined || others.length === 0) return first ?? rebuilt(body.kind, body);
  const problems = [first, ...others].map(
    (one) => new RequestError(one.code, one.message, one.details),
  );
  const [head, ...tail] = problems;
  return head === undefined ? first : new ConfigError([head, ...tail]);
}

function rebuilt(kind: ProblemBody['kind'], told: ProblemWords): ProductError {
  const { message, field, so, found, allowed, next, facts } = told;
  const details = {
    ...(field === undefined ? {} : { where: field }),
    ...(so === undefined ? {} : { so }),
    ...(found === undefined ? {} : { found }),
    ...(allowed === undefined ? {} : { allowed }),
    next,
    ...(facts === undefined ? {} : { facts }),
  };
  const code = codeOf(told.code);
  if (kind === 'request') return new RequestError(code, message, details);
  if (kind === 'passing') return new TransientError(code, message, details);
  return new WorldError(code, message, details);
}

/** A newer server may have codes of its own. */
const codeOf = (code: string): ErrorCode =>
  Object.hasOwn(errorCodes, code) ? (code as ErrorCode) : 'server_unlike';
