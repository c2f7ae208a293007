/**
 * The {@link Client} over HTTP: the same promises as in one process, kept by the server. Principals
 * that are handed in are not sent: the server believes the token alone.
 */
import * as z from 'zod';
import type { Operation } from '../contract/operator/operation.ts';
import { operations } from '../contract/operator/operations.ts';
import { problemBody } from '../contract/operator/problem-body.ts';
import { type ProductError, RequestError } from '../kernel/errors.ts';
import { parsedJson } from '../kernel/json.ts';
import type { Client } from '../ports/client.ts';
import type { OperatorToken } from '../ports/operator-tokens.ts';
import { errorOf } from './problem.ts';
import { type Sent, type Transport, type TransportOptions, transport } from './transport.ts';

export interface HttpClient extends Client {
  /** Whose token it is. @throws RequestError `token_missing`, `token_refused`. */
  token(): Promise<OperatorToken>;
  /** The server takes no new work, hands over and leaves. */
  drain(): Promise<void>;
}

type Values = Readonly<Record<string, string | number | boolean | null | undefined>>;

export interface ClientOptions extends TransportOptions {
  /** What a refusal of the server means to who asks; as it was said, unless told. */
  readonly meaning?: (refusal: ProductError) => ProductError;
}

export function httpClient(options: ClientOptions): HttpClient {
  const wire = transport(options);
  const call = caller(wire, options.meaning ?? ((refusal) => refusal));
  const of = (run: string): Values => ({ run });
  return {
    ...reading(call),
    start: (request) => call(operations.start, { body: request }),
    hint: (run, text, _who, when) =>
      call(operations.hint, { params: of(run), body: { text, ...given('when', when) } }),
    pause: (run, now) => call(operations.pause, { params: of(run), body: { now } }),
    resume: (run, request) => call(operations.resume, { params: of(run), body: request }),
    cancel: (run, note, _who, now) =>
      call(operations.cancel, { params: of(run), body: { note, ...given('now', now) } }),
    accept: (run, reason) => call(operations.accept, { params: of(run), body: { reason } }),
    consult: (run, profiles) => call(operations.consult, { params: of(run), body: { profiles } }),
    answer: (run, text) => call(operations.answer, { params: of(run), body: { text } }),
    resolveGate: (run, answer) => call(operations.resolveGate, { params: of(run), body: answer }),
    retry: (run, request) => call(operations.retry, { params: of(run), body: request }),
    recordLanding: (run, landing) =>
      call(operations.recordLanding, { params: of(run), body: landing }),
    recordRefusal: async (run, command) => {
      await call(operations.recordRefusal, { params: of(run), body: { command } });
    },
    land: (run, request) => call(operations.land, { params: of(run), body: request }),
    prune: (items) => call(operations.prune, { body: { items } }),
    ensureDriver: async () => {
      await call(operations.ensureDriver, { body: {} });
    },
    token: () => call(operations.token, {}),
    drain: async () => {
      await call(operations.drain, { body: {} });
    },
    close: async () => wire.close(),
  };
}

type Reads =
  | 'find'
  | 'list'
  | 'events'
  | 'definition'
  | 'artifact'
  | 'log'
  | 'drivers'
  | 'audit'
  | 'prunable';

function reading(call: Call): Pick<Client, Reads> {
  return {
    find: ({ text, project }) => call(operations.find, { query: { text, project } }),
    list: async ({ status, ...filter }) => {
      const statuses = status.length === 0 ? null : status.join(',');
      const query = { ...filter, status: statuses };
      return (
        await call<{ readonly runs: Awaited<ReturnType<Client['list']>> }>(operations.list, {
          query,
        })
      ).runs;
    },
    events: async (run, after, limit) =>
      (
        await call<{ readonly events: Awaited<ReturnType<Client['events']>> }>(operations.events, {
          params: { run },
          query: { after, limit },
        })
      ).events,
    definition: (run) => call(operations.definition, { params: { run } }),
    artifact: async (digest) => {
      try {
        return await call<Uint8Array>(operations.artifact, { params: { digest } });
      } catch (error: unknown) {
        if (error instanceof RequestError && error.code === 'artifact_missing') return null;
        throw error;
      }
    },
    log: (execution, after, limit) =>
      call(operations.log, { params: { execution }, query: { after, limit } }),
    drivers: async () =>
      (
        await call<{ readonly drivers: Awaited<ReturnType<Client['drivers']>> }>(
          operations.drivers,
          {},
        )
      ).drivers,
    audit: () => call(operations.audit, {}),
    prunable: async (filter) =>
      (
        await call<{ readonly items: Awaited<ReturnType<Client['prunable']>> }>(
          operations.prunable,
          { query: { ...filter } },
        )
      ).items,
  };
}

interface Asked {
  readonly params?: Values;
  readonly query?: Values;
  readonly body?: unknown;
}
/** The answer has the shape of the row; its brands and unions are those of the same program. */
type Call = <T>(row: Operation, asked: Asked) => Promise<T>;

const caller =
  (wire: Transport, meaning: (refusal: ProductError) => ProductError): Call =>
  async <T>(row: Operation, asked: Asked): Promise<T> => {
    const sent: Sent = {
      method: row.method,
      path: pathOf(row, asked),
      isLong: row.isLong === true,
      ...(row.method === 'GET' ? {} : { body: asked.body }),
    };
    const { status, bytes } = await wire.send(sent);
    if (status === 200 && row.media !== undefined) return new Uint8Array(bytes) as T;
    const value = parsedJson(bytes.toString('utf8'));
    if (status === 200) return understood(row.response, value) as T;
    const problem = problemBody.safeParse(value);
    if (problem.success) throw meaning(errorOf(problem.data));
    throw unlike(`status ${status}`);
  };

function understood(schema: z.ZodType, value: unknown): unknown {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw unlike(z.prettifyError(parsed.error).split('\n')[0] ?? '');
}

const unlike = (found: string): RequestError =>
  new RequestError('server_unlike', 'the answer of the server is not understood', {
    found: found.slice(0, 300),
  });

function pathOf(row: Operation, { params = {}, query = {} }: Asked): string {
  const path = row.path.replace(/:(\w+)/g, (_whole, name: string) =>
    encodeURIComponent(String(params[name])),
  );
  const said = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== null && value !== undefined) said.append(name, String(value));
  }
  return said.size === 0 ? path : `${path}?${said}`;
}

const given = (name: string, value: unknown) => (value === undefined ? {} : { [name]: value });
