/** The client in one process, and the same over HTTP with a real server on this machine. */
import { expect, test } from 'vitest';
import { operations } from '../../src/contract/operator/operations.ts';
import { nodeClock } from '../../src/host/clock.ts';
import { httpClient } from '../../src/http/client.ts';
import { operatorRoutes } from '../../src/http/operator-routes.ts';
import { httpServer } from '../../src/http/server.ts';
import { tokenVerbs } from '../../src/kernel/token-verbs.ts';
import type { OperatorToken, OperatorTokens } from '../../src/ports/operator-tokens.ts';
import type { Instant } from '../../src/ports/words.ts';
import { type Bench, bench, plainDefinition } from '../sim/bench-of-one.ts';
import { ada } from '../sim/human.ts';
import { raw } from '../support/served.ts';
import { clientSuite, type OpenedClient } from './client.suite.ts';

const known = (id: string, scope: OperatorToken['scope']): OperatorToken => ({
  ...{ id, by: 'ada', scope },
  createdAt: 0 as Instant,
  expiresAt: 9e12 as Instant,
});
const secrets: Readonly<Record<string, OperatorToken>> = {
  human: known('h', tokenVerbs),
  program: known('p', []),
};
const tokens: Pick<OperatorTokens, 'check'> = {
  check: async (secret) => {
    const token = secrets[secret];
    return token === undefined ? { ok: false, why: 'unknown' } : { ok: true, token };
  },
};

async function served(here: Bench) {
  const ending = new AbortController();
  const bugs: unknown[] = [];
  const server = await httpServer({
    listen: { host: '127.0.0.1', port: 0 },
    tls: null,
    names: [],
    onBug: (error) => void bugs.push(error),
    routes: [
      operatorRoutes({
        client: here.client,
        store: here.engine.store,
        clock: nodeClock(),
        tokens,
        now: () => here.engine.clock.now(),
        hasProject: async () => true,
        instance: 'one',
        isDraining: () => false,
        drain: () => {},
        signal: ending.signal,
        onBug: (error) => void bugs.push(error),
      }),
    ],
  });
  const as = (secret: string) => httpClient({ url: server.url, secret: async () => secret });
  const close = async () => {
    ending.abort();
    await server.close();
    expect(bugs).toEqual([]);
  };
  return { url: server.url, as, close };
}

clientSuite('in one process', async () => {
  const here = bench();
  const { client } = here;
  return { bench: here, human: client, program: client, close: async () => {} };
});

clientSuite('over HTTP', async (): Promise<OpenedClient> => {
  const here = bench();
  const { as, close } = await served(here);
  const [human, program] = [as('human'), as('program')];
  return {
    ...{ bench: here, human, program },
    close: async () => {
      await human.close();
      await program.close();
      await close();
    },
  };
});

test('a command that is sent twice with one key is done once', async () => {
  const here = bench();
  const { url, close } = await served(here);
  const body = { definition: plainDefinition, detached: true, resumedFrom: null, from: null };
  const post = (more: Readonly<Record<string, string>>, sent: unknown = body) =>
    fetch(`${url}${operations.start.path}`, {
      method: 'POST',
      headers: { authorization: 'Bearer human', 'content-type': 'application/json', ...more },
      body: JSON.stringify(sent),
    }).then(async (answer) => (await answer.json()) as Readonly<Record<string, unknown>>);
  const key = { 'idempotency-key': 'key-number-1' };
  const first = await post(key);
  expect(await post({ ...key, 'pawl-instance': 'one' })).toMatchObject({ id: first['id'] });
  expect(await post(key, { ...body, detached: false })).toMatchObject({ code: 'bad_value' });
  const elsewhere = { 'idempotency-key': 'key-number-2', 'pawl-instance': 'two' };
  expect(await post(elsewhere)).toMatchObject({ code: 'outcome_unknown' });
  const every = { project: null, open: false, status: [], since: null, limit: 9, demo: true };
  expect(await here.client.list(every)).toHaveLength(1);
  expect(await here.client.start(body, ada)).not.toMatchObject({ id: first['id'] });
  await close();
});

test('what is wrong with a request is named: the place, what was found, what is allowed', async () => {
  const { url, close } = await served(bench());
  const answer = await fetch(`${url}/v1/runs`, {
    method: 'POST',
    headers: { authorization: 'Bearer human', 'content-type': 'application/json' },
    body: JSON.stringify({
      definition: { ...plainDefinition, brakes: { ...plainDefinition.brakes, attempts: 'many' } },
      detatched: true,
      resumedFrom: null,
      from: null,
    }),
  });
  expect(answer.status).toBe(400);
  const told = (await answer.json()) as { readonly others: readonly unknown[] };
  expect([told, ...told.others]).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        code: 'bad_value',
        field: 'body.definition.brakes.attempts',
        found: '"many"',
      }),
      expect.objectContaining({ code: 'unknown_key', field: 'body' }),
    ]),
  );
  await close();
});

/** Ids of the first `count` events that a follower is sent, and of what came with them. */
async function followed(url: string, count: number, after: string | null, query = '') {
  const ids = (text: string) => [...text.matchAll(/^id: (.+)$/gm)].map(([, id]) => id ?? '');
  const { text } = await raw(`${url}/v1/events${query}`, {
    headers: {
      authorization: 'Bearer program',
      ...(after === null ? {} : { 'last-event-id': after }),
    },
    until: (said) => ids(said).length >= count,
  });
  return ids(text);
}

test('who reconnects with the last id gets what followed, and no event twice (D-111)', async () => {
  const here = bench();
  const { url, close } = await served(here);
  const request = { definition: plainDefinition, detached: true, resumedFrom: null, from: null };
  const { id } = await here.client.start(request, ada);
  await here.client.cancel(id, '', ada);
  const whole = (await here.engine.store.eventsAfter(null, 100)).map(({ position }) => position);
  expect(whole.length).toBeGreaterThan(3);
  const all = await followed(url, whole.length, null);
  expect(all).toEqual(whole);
  expect(await followed(url, whole.length - 2, all[1] ?? '')).toEqual(whole.slice(2));
  // It says more than the place that the address named when it connected first.
  const query = `?after=${whole[0]}`;
  expect(await followed(url, whole.length - 2, all[1] ?? '', query)).toEqual(whole.slice(2));
  for (const junk of ['junk', '-1', '1.x', '99999999']) {
    const refused = { authorization: 'Bearer program', 'last-event-id': junk };
    const { status, text } = await raw(`${url}/v1/events`, { headers: refused });
    expect([status, text]).toEqual([400, expect.stringContaining('last-event-id')]);
  }
  const beyond = { authorization: 'Bearer program', 'last-event-id': '99999' };
  const ofRun = await raw(`${url}/v1/events?run=${id}`, { headers: beyond });
  expect([ofRun.status, ofRun.text]).toEqual([400, expect.stringContaining('from a backup')]);
  const versions = await followed(url, whole.length - 1, '1', `?run=${id}`);
  expect(versions).toEqual(whole.slice(1).map((_, n) => `${n + 2}`));
  await close();
});
