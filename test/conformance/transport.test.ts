/** What a client does when the connection breaks: real sockets on this machine. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { transport } from '../../src/http/transport.ts';

type Seen = Readonly<Record<string, string | string[] | undefined>>;

/** Each request is met by the next of the scripts. */
async function scripted(
  ...scripts: readonly ((request: IncomingMessage, response: ServerResponse) => void)[]
) {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    const script = scripts[seen.length];
    seen.push(request.headers);
    script?.(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const wire = transport({ url: `http://127.0.0.1:${port}`, secret: async () => 'abc' });
  const close = async () => {
    wire.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { wire, seen, close };
}

const answers = (_request: IncomingMessage, response: ServerResponse) =>
  response.setHeader('pawl-instance', 'one').end('{}');
const breaks = (request: IncomingMessage) => request.socket.destroy();
const command = { method: 'POST', path: '/v1/driver', body: {}, isLong: false } as const;
const look = { method: 'GET', path: '/v1/runs', isLong: false } as const;

test('a look is taken again', async () => {
  const { wire, seen, close } = await scripted(breaks, answers);
  expect(await wire.send(look)).toMatchObject({ status: 200 });
  expect(seen).toHaveLength(2);
  await close();
});

test('a command goes again to the process that was asked, with the same key', async () => {
  const { wire, seen, close } = await scripted(answers, breaks, answers);
  await wire.send(look);
  expect(await wire.send(command)).toMatchObject({ status: 200 });
  expect(seen[1]?.['idempotency-key']).toBe(seen[2]?.['idempotency-key']);
  expect([seen[1]?.['pawl-instance'], seen[2]?.['pawl-instance']]).toEqual([undefined, 'one']);
  await close();
});

test('a command that may have been done elsewhere is not sent twice', async () => {
  const { wire, seen, close } = await scripted(breaks, answers);
  await expect(wire.send(command)).rejects.toMatchObject({ code: 'outcome_unknown' });
  expect(seen).toHaveLength(1);
  await close();
});

test('where nothing listens it is said so', async () => {
  const { wire, close } = await scripted();
  await close();
  await expect(wire.send(command)).rejects.toMatchObject({ code: 'server_unreachable' });
});
