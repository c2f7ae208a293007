/**
 * Goal: a server is asked in place of the store: by the command line with every verb, by others
 * over HTTP; it believes tokens alone, and its death loses nothing.
 * Method: the built program as real processes, on a free port of this machine; raw requests for
 * what no client of ours would send.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { diskOperatorTokens } from '../../src/host/operator-tokens.ts';
import type { TokenVerb } from '../../src/kernel/token-verbs.ts';
import type { Instant } from '../../src/ports/words.ts';
import { type Project, project } from '../support/answer-project.ts';
import { type Pawl, pawl } from '../support/pawl.ts';
import { raw, type Served, serve } from '../support/served.ts';

let own: Pawl;
let work: Project;
let server: Served;
let program = '';
let human = '';

/** Made as a terminal would, without one. */
async function token(scope: readonly TokenVerb[]): Promise<string> {
  const tokens = diskOperatorTokens({ directory: join(own.home, 'operator') });
  const now = Date.now() as Instant;
  return (await tokens.create({ by: 'ada', scope, forMs: 3_600_000, now })).secret;
}

const typed = (line: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  own.run(line, { cwd: work.directory, env: { PAWL_SERVER: server.url, ...env } });
const json = async (line: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  (await typed([...line, '--json'], env)).json();
const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });
const post = (path: string, body: unknown, secret: string) =>
  raw(`${server.url}${path}`, {
    method: 'POST',
    headers: { ...bearer(secret), 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

beforeAll(async () => {
  own = pawl();
  work = project(own.root);
  server = await serve(own);
  program = await token([]);
  human = await token(['approve', 'reject', 'accept']);
}, 120_000);
afterAll(async () => {
  server.started.child.kill('SIGTERM');
  await server.started.finished;
  await own.close();
});

test('a run is started, watched and shown through the server', async () => {
  const ran = await own.run(['--server', server.url, ...work.run, '--name', 'answer'], {
    cwd: work.directory,
  });
  expect(ran.exit, ran.stdout + ran.stderr).toBe(0);
  expect(work.starts()).toHaveLength(2);
  expect(await json(['show', 'answer'])).toMatchObject({ status: 'complete' });
  const status = await typed(['status']);
  expect(status.stdout).toContain('answer');
  const listed = await json(['list', '--all']);
  expect(listed).toMatchObject({ runs: [{ name: 'answer' }] });
});

test('a gate needs an operator token of its scope; a refusal is recorded on the run', async () => {
  const line = ['run', 'look at it', '--agent-cmd', 'touch seen', '--manual'];
  const waits = await typed([...line, '--name', 'look', '--check', 'true', '--baseline', 'skip']);
  expect(waits.exit, waits.stdout + waits.stderr).toBe(4);
  const refused = await typed(['approve', 'look', '--yes']);
  expect(refused.exit).toBe(2);
  expect(refused.stderr).toContain('error[human_required]');
  // Nobody is believed who only says that he is human.
  const { id } = (await json(['show', 'look'])) as { readonly id: string };
  const body = { approval: null, outcome: 'approved', note: null };
  const raws = await post(`/v1/runs/${id}/gate`, body, program);
  expect(raws.status).toBe(403);
  expect(JSON.parse(raws.text)).toMatchObject({ code: 'human_required' });
  const claimed = await post(
    `/v1/runs/${id}/gate`,
    { ...body, principal: { kind: 'human' } },
    human,
  );
  expect(claimed.status).toBe(400);
  expect(JSON.parse(claimed.text)).toMatchObject({ code: 'unknown_key', field: 'body' });
  const accept = await typed(['accept', 'look', '--reason', 'x'], {
    PAWL_OPERATOR_TOKEN: await token(['land']),
  });
  expect(accept.stderr).toContain('is for land');
  const shown = await raw(`${server.url}/v1/runs/${id}`, { headers: bearer(program) });
  expect(JSON.parse(shown.text)).toMatchObject({ refusedGates: 3 });
  const approved = await typed(['approve', 'look', '--yes'], { PAWL_OPERATOR_TOKEN: human });
  expect(approved.exit, approved.stderr).toBe(0);
}, 120_000);

test('a follower that comes back gets what followed: nothing twice, nothing left out', async () => {
  const { id } = (await json(['show', 'answer'])) as { readonly id: string };
  const page = await raw(`${server.url}/v1/runs/${id}/events?limit=1000`, {
    headers: bearer(program),
  });
  const { events } = JSON.parse(page.text) as { readonly events: readonly unknown[] };
  const ids = (text: string) => [...text.matchAll(/^id: (.+)$/gm)].map(([, found]) => found);
  const follow = (headers: Readonly<Record<string, string>>, n: number, query: string) =>
    raw(`${server.url}/v1/events${query}`, {
      headers: { ...bearer(program), ...headers },
      until: (text) => ids(text).length >= n,
    });
  const whole = ids((await follow({}, events.length, `?run=${id}`)).text);
  expect(whole).toHaveLength(events.length);
  const rest = ids((await follow({ 'last-event-id': whole[4] ?? '' }, 1, `?run=${id}`)).text);
  expect(rest).toEqual(whole.slice(5));
  const all = ids((await follow({}, events.length + 1, '')).text);
  const later = ids((await follow({ 'last-event-id': all[2] ?? '' }, 1, '')).text);
  expect(later.slice(0, 5)).toEqual(all.slice(3, 8));
  expect(new Set(all).size).toBe(all.length);
}, 60_000);

test('what no client of ours sends is refused, each by its code', async () => {
  const code = ({ text }: { readonly text: string }) => JSON.parse(text).code;
  const ask = (headers: Readonly<Record<string, string>>) =>
    raw(`${server.url}/v1/runs`, { headers });
  expect(code(await ask({}))).toBe('token_missing');
  expect(code(await ask(bearer('pawl_op_000000000000_wrong')))).toBe('token_refused');
  expect(code(await ask({ ...bearer(program), host: 'evil.example' }))).toBe('host_refused');
  expect(code(await ask({ ...bearer(program), origin: 'http://evil.example' }))).toBe(
    'origin_refused',
  );
  expect(code(await raw(`${server.url}/v2/runs`))).toBe('unknown_endpoint');
  const large = await raw(`${server.url}/v1/runs`, {
    method: 'POST',
    headers: {
      ...bearer(program),
      'content-type': 'application/json',
      'content-length': `${5 * 1024 * 1024}`,
    },
    body: '{',
  });
  expect([large.status, code(large)]).toEqual([413, 'body_too_large']);
  const form = await raw(`${server.url}/v1/driver`, {
    method: 'POST',
    headers: { ...bearer(program), 'content-type': 'text/plain' },
    body: '{}',
  });
  expect([form.status, code(form)]).toEqual([415, 'body_type']);
});

test('a port that is taken, and an open address without encryption, are refused', async () => {
  const taken = await own.run(['serve', '--listen', server.url.replace('http://', '')]);
  expect([taken.exit, taken.stderr]).toEqual([1, expect.stringContaining('error[port_taken]')]);
  const open = await own.run(['serve', '--listen', '0.0.0.0:0']);
  expect([open.exit, open.stderr]).toEqual([2, expect.stringContaining('error[listen_insecure]')]);
});

test('a server that is killed loses nothing: the next one goes on', async () => {
  const agent = join(own.root, 'slow.sh');
  writeFileSync(agent, 'sleep 2\ntouch slow\n');
  const slow = [
    'run',
    'wait',
    '--agent-cmd',
    `sh ${agent}`,
    '--check',
    'true',
    '--baseline',
    'skip',
  ];
  const started = await typed([...slow, '--name', 'slow', '-d']);
  expect(started.exit, started.stderr).toBe(0);
  server.started.child.kill('SIGKILL');
  await server.started.finished;
  const gone = await typed(['status']);
  expect([gone.exit, gone.stderr]).toEqual([1, expect.stringContaining('server_unreachable')]);
  server = await serve(own);
  const waited = await typed(['wait', 'slow', '--timeout', '60s']);
  expect(await json(['show', 'slow'])).toMatchObject({ status: 'complete' });
  expect(waited.exit, waited.stderr).toBe(0);
}, 120_000);

test('a server that is asked to leave hands over, and ends well', async () => {
  const refused = await typed(['serve', '--drain']);
  expect(refused.stderr).toContain('error[human_required]');
  const other = await serve(own);
  const drained = await typed(['serve', '--drain'], { PAWL_OPERATOR_TOKEN: human });
  expect(drained.exit, drained.stderr).toBe(0);
  expect((await server.started.finished).exit).toBe(0);
  server = other;
  const ready = JSON.parse((await raw(`${server.url}/readyz`)).text);
  expect(ready).toMatchObject({ ready: true });
}, 120_000);
