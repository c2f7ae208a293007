/**
 * Goal: what arrived is told as delivered, what did not with its reason, and no secret is told at
 * all. Method: receivers on a loopback port, programs that are real, a clock that only counts.
 */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { resolveCredentials } from '../host/credentials.ts';
import type { Notice } from '../ports/notifier.ts';
import type { Instant, NoticeTarget, RunId } from '../ports/words.ts';
import { execute } from './execute.ts';
import { notifier } from './notifier.ts';
import { signatureOf } from './webhook.ts';
import type { World } from './world.ts';

interface Received {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

let received: Received[] = [];
let answers: number[] = [];
let server: Server;
let url = '';
let directory = '';
let slept: number[] = [];

beforeEach(async () => {
  received = [];
  answers = [];
  slept = [];
  directory = mkdtempSync(join(tmpdir(), 'pawl-notify-'));
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (bytes: Buffer) => {
      body += bytes.toString('utf8');
    });
    request.on('end', () => {
      received.push({ headers: request.headers, body });
      response.writeHead(answers.shift() ?? 204, { location: 'http://127.0.0.1:1/' }).end();
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/secret-topic`;
});
afterEach(async () => {
  rmSync(directory, { recursive: true, force: true });
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
});

const notice: Notice = {
  id: '7k2m.12',
  kind: 'needs_operator',
  at: 1_000 as Instant,
  run: {
    id: '7k2mab' as RunId,
    short: '7k2m',
    name: 'fix-dates',
    project: '/dates',
    status: 'needs_operator',
    reason: 'attempts_exhausted',
  },
  title: 'fix-dates 7k2m: needs operator – ›',
  text: 'attempts spent',
  until: null,
  command: 'pawl show 7k2m',
  directory: tmpdir(),
};
const signal = new AbortController().signal;

const ours = { PAWL_OPERATOR_TOKEN: 'token', PAWL_DATABASE: 'd', PAWL_EXECUTION: 'x.1' };

function made(more: Partial<World> = {}) {
  let now = 1_767_000_000_000;
  return notifier({
    clock: {
      now: () => now as Instant,
      monotonicMs: () => now,
      sleep: async (ms) => {
        now += ms;
        slept.push(ms);
      },
    },
    platform: 'linux',
    env: { PATH: process.env['PATH'], ...ours },
    resolve: async (reference) => {
      if (reference === 'env:HOOK_URL') return url;
      if (reference === 'env:KEY') return 'key';
      throw new Error(`the secret ${reference} cannot be had`);
    },
    finds: () => false,
    execute,
    fraction: () => 0.5,
    ...more,
  });
}
const hook = (secret: string | null = null): NoticeTarget => ({ kind: 'webhook', url, secret });

test('a webhook gets one signed body with its time in it (UX 4.2)', async () => {
  const told = await made().deliver(
    notice,
    { kind: 'webhook', url: 'env:HOOK_URL', secret: 'env:KEY' },
    signal,
  );
  expect(told).toEqual({ state: 'delivered', detail: 'HTTP 204' });
  const [{ headers, body } = { headers: {}, body: '' }] = received;
  expect(headers['x-pawl-signature']).toBe(signatureOf(body, 'key'));
  expect(headers['x-pawl-delivery']).toBe('7k2m.12');
  expect(headers['x-pawl-timestamp']).toBe('1767000000');
  expect(JSON.parse(body)).toMatchObject({
    schema: 'pawl.notice/1',
    id: '7k2m.12',
    sentAt: '2025-12-29T09:20:00.000Z',
    run: { short: '7k2m', reason: 'attempts_exhausted' },
  });
});

test('the signature is the one that receivers of GitHub hooks check', () => {
  // RFC 4231 has no short text; this pair is that of GitHub's documentation.
  expect(signatureOf('Hello, World!', "It's a Secret to Everybody")).toBe(
    'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
  );
});

test('trouble is tried again with a growing pause, and no more than four times', async () => {
  answers = [500, 429];
  expect(await made().deliver(notice, hook(), signal)).toEqual({
    state: 'delivered',
    detail: 'HTTP 204, try 3',
  });
  expect(slept).toEqual([750, 1_500]);
  expect(received.map(({ headers }) => headers['x-pawl-signature'])).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  answers = [503, 503, 503, 503];
  received = [];
  expect(await made().deliver(notice, hook(), signal)).toEqual({
    state: 'not_delivered',
    detail: 'HTTP 503, try 4',
  });
  expect(received.length).toBe(4);
});

test('an answer is an answer: 404 is not tried again, a redirect is not followed', async () => {
  answers = [404, 302];
  expect((await made().deliver(notice, hook(), signal)).detail).toBe('HTTP 404');
  expect((await made().deliver(notice, hook(), signal)).detail).toBe('HTTP 302');
  expect(received.length).toBe(2);
});

test('what cannot be reached is told by a code, never by its address (L-H9)', async () => {
  const nobody = { kind: 'ntfy', url: 'http://127.0.0.1:1/secret-topic', token: null } as const;
  const told = await made().deliver(notice, nobody, signal);
  expect(told).toEqual({ state: 'not_delivered', detail: expect.stringContaining('try 4') });
  expect(told.detail).not.toContain('secret-topic');
  expect(made().label(nobody)).toBe('ntfy:127.0.0.1:1');
});

test('a key that cannot be had sends nothing unsigned', async () => {
  expect(await made().deliver(notice, hook('env:GONE'), signal)).toEqual({
    state: 'not_delivered',
    detail: 'the secret env:GONE cannot be had',
  });
  expect(received).toEqual([]);
});

test('a variable that the driver lacks is named, with what helps (L-H9)', async () => {
  const resolve = async (reference: string) => {
    const found = await resolveCredentials({ [reference]: reference }, {}, { machine: 'ada' });
    return found[reference] ?? '';
  };
  expect(await made({ resolve }).deliver(notice, hook('env:HOOK_KEY'), signal)).toEqual({
    state: 'not_delivered',
    detail:
      'the secret env:HOOK_KEY cannot be had: env:HOOK_KEY on ada: HOOK_KEY is not set for the driver: ' +
      'start the driver where it is, or use file: or command:',
  });
});

test('ntfy gets title, priority and text, and a token when there is one', async () => {
  await made().deliver(notice, { kind: 'ntfy', url, token: 'env:KEY' }, signal);
  const [{ headers, body } = { headers: {}, body: '' }] = received;
  const title = String(headers['title']).replace(/^=\?UTF-8\?B\?|\?=$/g, '');
  expect(Buffer.from(title, 'base64').toString()).toBe(notice.title);
  expect(headers).toMatchObject({ priority: 'high', tags: 'warning', authorization: 'Bearer key' });
  expect(body).toBe('attempts spent\npawl show 7k2m');
});

test('a command gets the facts as environment and as JSON, and no token of an operator', async () => {
  const script = 'cat > "$1"; env > "$1.env"';
  const file = join(directory, 'got');
  const argv = ['sh', '-c', script, 'sh', file];
  expect(await made().deliver(notice, { kind: 'command', argv }, signal)).toEqual({
    state: 'delivered',
    detail: 'exit 0',
  });
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ kind: 'needs_operator' });
  const env = readFileSync(`${file}.env`, 'utf8');
  expect(env).toContain('PAWL_NOTICE_RUN=7k2m');
  expect(env).not.toMatch(/PAWL_OPERATOR_TOKEN|PAWL_DATABASE|PAWL_EXECUTION/);
});

test('a command that fails says why; one that is not there is not there', async () => {
  const by = (...argv: string[]) => made().deliver(notice, { kind: 'command', argv }, signal);
  expect((await by('sh', '-c', 'echo no channel >&2; exit 3')).detail).toBe('exit 3: no channel');
  expect((await by('no-such-program-here')).detail).toBe('not found');
});

test('a program that does not end is ended with what it started', async () => {
  const file = join(directory, 'late');
  writeFileSync(file, '');
  const executed = await execute({
    argv: ['sh', '-c', 'sleep 30 & wait'],
    cwd: directory,
    env: { PATH: process.env['PATH'] ?? '' },
    stdin: '',
    timeoutMs: 200,
  });
  expect(executed).toEqual({ ok: false, detail: 'took longer than 0 s' });
});

test.each([
  [{}, 'no display'],
  [{ DISPLAY: ':0' }, 'not available: there is no notify-send'],
])('a desktop that is not there is told as that: %j (UX 8)', async (env, detail) => {
  const told = await made({ env }).deliver(notice, { kind: 'desktop' }, signal);
  expect(told).toEqual({ state: 'not_delivered', detail });
});

test('a desktop is told by its own program, with the text as an argument', async () => {
  const argvs: (readonly string[])[] = [];
  const world: Partial<World> = {
    env: { DISPLAY: ':0' },
    finds: () => true,
    execute: async ({ argv }) => {
      argvs.push(argv);
      return { ok: true, detail: 'exit 0' };
    },
  };
  const limit: Notice = { ...notice, kind: 'limit', until: 1_767_000_000_000 as Instant };
  await made(world).deliver(limit, { kind: 'desktop' }, signal);
  await made({ ...world, platform: 'darwin' }).deliver(notice, { kind: 'desktop' }, signal);
  expect(argvs[0]?.slice(0, 5)).toEqual([
    'notify-send',
    '--app-name=pawl',
    '--urgency=normal',
    '--',
    notice.title,
  ]);
  expect(argvs[0]?.[5]).toMatch(/^attempts spent until \d\d:\d\d\npawl show 7k2m$/);
  expect(argvs[1]?.slice(-2)).toEqual([notice.title, 'attempts spent\npawl show 7k2m']);
});

test('one place is told at most ten times in ten minutes', async () => {
  const by = made();
  const told = [];
  for (let i = 0; i < 11; i += 1) told.push(await by.deliver(notice, hook(), signal));
  expect(told.at(9)?.state).toBe('delivered');
  expect(told.at(10)).toEqual({
    state: 'not_delivered',
    detail: 'held back: 10 in 10m were sent there',
  });
});
