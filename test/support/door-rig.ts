/**
 * A models door between a client and a scripted model server, for tests: real sockets, the clocks
 * of the machine, every signal kept.
 */
import { createServer, type RequestListener, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ModelsDoorOptions, modelsDoor } from '../../src/doors/models/door.ts';
import { memoryBudget } from '../../src/doors/models/memory-budget.ts';
import { nodeClock } from '../../src/host/clock.ts';
import type { DoorRequest, DoorSignal, ModelApi, ModelsDoor } from '../../src/ports/models-door.ts';
import { modelServer } from '../../src/testing/model-server/model-server.ts';
import type { Turn } from '../../src/testing/model-server/script.ts';

export const realKey = 'sk-real-CANARY-0123456789';

export interface Rig {
  readonly door: ModelsDoor;
  readonly signals: readonly DoorSignal[];
  readonly faults: readonly unknown[];
  kinds(): readonly string[];
  /** Resolves with the first signal of this kind, past or to come. */
  heard<K extends DoorSignal['kind']>(kind: K): Promise<Extract<DoorSignal, { kind: K }>>;
  post(path: string, body: unknown, more?: Partial<Sending>): Promise<Got>;
}

export interface Sending {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Hangs up after this many bytes of the answer; with 0 once the request is sent. */
  readonly leaveAfter: number;
}

export interface Got {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** Whether the answer came to its end, as HTTP sees it. */
  readonly isWhole: boolean;
}

const nothing: Got = { status: 0, headers: {}, text: '', isWhole: false };

/** Settles in every case; status 0 when no answer came. */
export function fetched(url: string, body: unknown, more: Partial<Sending> = {}): Promise<Got> {
  return new Promise((resolve) => {
    const { method = 'POST', headers = {}, leaveAfter = Number.POSITIVE_INFINITY } = more;
    const text = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    const asked = request(url, {
      method,
      agent: false,
      headers: { 'content-type': 'application/json', 'x-api-key': 'dummy', ...headers },
    });
    let got = nothing;
    const chunks: Buffer[] = [];
    const done = (isWhole: boolean) =>
      resolve({ ...got, text: Buffer.concat(chunks).toString(), isWhole });
    asked.on('error', () => done(false));
    asked.on('response', (answer) => {
      got = { ...got, status: answer.statusCode ?? 0, headers: answer.headers };
      answer.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        if (Buffer.concat(chunks).length >= leaveAfter) asked.destroy();
      });
      answer.on('error', () => undefined);
      answer.on('close', () => done(answer.complete));
    });
    asked.end(method === 'POST' ? text : undefined);
    if (leaveAfter === 0) asked.once('finish', () => asked.destroy());
  });
}

interface RigOptions {
  readonly upstream: string;
  readonly limits?: { readonly costUsd: number | null; readonly tokens: number | null };
  readonly budget?: DoorRequest['budget'];
  readonly mode?: DoorRequest['mode'];
  readonly spans?: ModelsDoorOptions['spans'];
}

/** Everything that a test opened; `close` ends it in reverse order. */
export function doorRig() {
  const open: (() => Promise<void>)[] = [];
  return {
    async serving(turns: readonly Turn[]) {
      const server = await modelServer({ script: { '': turns } });
      open.push(() => server.close());
      return server;
    },
    /** An upstream that does whatever the listener does. */
    async upstream(listener: RequestListener): Promise<string> {
      const server = createServer(listener);
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
      open.push(() => ended(server));
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    },
    async door(options: RigOptions): Promise<Rig> {
      const rig = await openDoor(options);
      open.push(() => rig.door.close());
      return rig;
    },
    async close() {
      for (const end of open.splice(0).reverse()) await end();
    },
  };
}

function ended(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

async function openDoor(options: RigOptions): Promise<Rig> {
  const signals: DoorSignal[] = [];
  const faults: unknown[] = [];
  const waiting: (() => void)[] = [];
  const target = { base: options.upstream, credential: 'env:KEY' };
  const door = await modelsDoor({
    clock: nodeClock(),
    credential: async () => realKey,
    onFailure: (error) => faults.push(error),
    ...(options.spans === undefined ? {} : { spans: options.spans }),
  })({
    mode: options.mode ?? 'inject',
    upstreams: { anthropic: target, openai: target, google: target },
    budget: options.budget ?? memoryBudget(options.limits ?? { costUsd: null, tokens: null }),
    onSignal: (signal) => {
      signals.push(signal);
      for (const wake of waiting.splice(0)) wake();
    },
  });
  return {
    door,
    signals,
    faults,
    kinds: () => signals.map(({ kind }) => kind),
    async heard<K extends DoorSignal['kind']>(kind: K) {
      for (;;) {
        const found = signals.find((signal) => signal.kind === kind);
        if (found !== undefined) return found as Extract<DoorSignal, { kind: K }>;
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
    },
    post: (path, body, more) => fetched(`${door.url}${path}`, body, more),
  };
}

interface Shape {
  readonly path: string;
  readonly body: (isStreamed: boolean) => object;
}
const tool = { name: 'bash', description: 'x', parameters: { type: 'object', properties: {} } };
const user = { role: 'user', content: 'fix it' };

/** A streamed request of each API, as a CLI would send it, with a tool so that turns count. */
export const asking: Readonly<Record<ModelApi, Shape>> = {
  anthropic: {
    path: '/v1/messages?beta=true',
    body: (stream) => ({
      model: 'claude-sonnet-4-5',
      max_tokens: 1_000,
      stream,
      messages: [user],
      tools: [{ name: 'bash', input_schema: { type: 'object', properties: {} } }],
    }),
  },
  chat: {
    path: '/v1/chat/completions',
    body: (stream) => ({
      model: 'gpt-5',
      stream,
      ...(stream ? { stream_options: { include_usage: true } } : {}),
      messages: [user],
      tools: [{ type: 'function', function: tool }],
    }),
  },
  responses: {
    path: '/v1/responses',
    body: (stream) => ({
      model: 'gpt-5',
      stream,
      input: [{ type: 'message', ...user }],
      tools: [{ type: 'function', ...tool }],
    }),
  },
  gemini: {
    path: '/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse',
    body: () => ({
      contents: [{ role: 'user', parts: [{ text: 'fix it' }] }],
      tools: [{ functionDeclarations: [tool] }],
    }),
  },
};
export const geminiWhole = '/v1beta/models/gemini-2.5-pro:generateContent';
