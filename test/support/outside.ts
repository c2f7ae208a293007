/**
 * Who asks for the world outside: a proxy on loopback that lets nothing through and counts, which
 * well-behaved programs use; and, where `npm run test:agents` has cut the network off and put this
 * machine's resolver aside, every name that any program looks up.
 */
import { createSocket, type Socket } from 'node:dgram';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Outside {
  /** What a lane's environment holds of it. */
  readonly env: Readonly<Record<string, string>>;
  /** Names, in the order in which they were asked for; null: nobody counts. */
  asked(): readonly string[] | null;
  close(): Promise<void>;
}

export async function openOutside(): Promise<Outside> {
  const asked: string[] = [];
  const proxy = createServer((request, answer) => {
    asked.push(URL.canParse(request.url ?? '') ? new URL(request.url ?? '').host : '?');
    answer.writeHead(403).end();
  });
  proxy.on('connect', (request, socket) => {
    asked.push(request.url ?? '?');
    socket.on('error', () => socket.destroy());
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
  });
  await new Promise<void>((resolve, reject) => {
    proxy.once('error', reject);
    proxy.listen(0, '127.0.0.1', resolve);
  });
  const resolver = process.env['PAWL_TEST_CUT_OFF'] === '1' ? await countingResolver(asked) : null;
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  return {
    env: { http_proxy: url, https_proxy: url, HTTP_PROXY: url, HTTPS_PROXY: url },
    asked: () => [...asked],
    async close() {
      proxy.closeAllConnections();
      await new Promise((resolve) => proxy.close(resolve));
      await new Promise<void>((resolve) =>
        resolver === null ? resolve() : resolver.close(resolve),
      );
    },
  };
}

/** Knows no name at all. */
async function countingResolver(asked: string[]): Promise<Socket> {
  const socket = createSocket('udp4');
  socket.on('message', (query, from) => {
    asked.push(nameIn(query));
    const answer = Buffer.from(query);
    // Response, recursion available, no such name.
    answer.writeUInt16BE(0x8183, 2);
    socket.send(answer, from.port, from.address);
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.bind(53, '127.0.0.1', resolve);
  });
  return socket;
}

function nameIn(query: Buffer): string {
  const labels: string[] = [];
  let at = 12;
  for (let size = query[at] ?? 0; size > 0 && at + size < query.length; size = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + size));
    at += size + 1;
  }
  return labels.join('.');
}
