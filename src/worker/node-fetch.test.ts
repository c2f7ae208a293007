import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { type Answered, type Asked, nodeFetch } from './node-fetch.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

async function serving(listener: RequestListener): Promise<{ url: string; server: Server }> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

const post: Omit<Asked, 'body' | 'signal'> = {
  ...{ method: 'POST', headers: { 'content-type': 'text/plain' } },
  redirect: 'error',
};
const { signal } = new AbortController();

async function textOf({ body }: Answered): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body ?? []) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

test('calls after each other share one connection', async () => {
  let connections = 0;
  const { url, server } = await serving(async (request, response) => {
    for await (const chunk of request) response.write(chunk);
    response.end();
  });
  server.on('connection', () => (connections += 1));
  const ask = nodeFetch();
  for (const body of ['one', 'two', Buffer.from('drei ü')]) {
    const answer = await ask(url, { ...post, body, signal });
    expect(answer).toMatchObject({ status: 200, ok: true });
    expect(await textOf(answer)).toBe(`${body}`);
  }
  expect(connections).toBe(1);
});

test('nobody is followed elsewhere: a redirection is an answer that is not ok', async () => {
  const asked: (string | undefined)[] = [];
  const { url } = await serving((request, response) => {
    asked.push(request.url);
    response.writeHead(302, { location: '/elsewhere' }).end();
  });
  const answer = await nodeFetch()(`${url}/here`, { ...post, body: null, signal });
  expect([answer.status, answer.ok, asked]).toEqual([302, false, ['/here']]);
});

test('a signal ends the wait for an answer, and an answer that has begun', async () => {
  const { url } = await serving((request, response) => {
    if (request.url === '/begun') response.write('half');
  });
  const silent = nodeFetch()(url, { ...post, body: null, signal: AbortSignal.timeout(20) });
  await expect(silent).rejects.toMatchObject({ name: 'AbortError' });
  const ending = new AbortController();
  const begun = await nodeFetch()(`${url}/begun`, { ...post, body: null, signal: ending.signal });
  ending.abort();
  await expect(textOf(begun)).rejects.toThrow('aborted');
});

test('what the system says of a server that is away is the error itself', async () => {
  const { url, server } = await serving(() => undefined);
  await new Promise((resolve) => server.close(resolve));
  const asking = nodeFetch()(url, { ...post, body: null, signal });
  await expect(asking).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});
