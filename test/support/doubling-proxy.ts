/**
 * An HTTP proxy on loopback that delivers every message twice, as a network does that tries again:
 * the answer to the first is handed back, the one to the second goes nowhere.
 */
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';

export interface DoublingProxy {
  readonly port: number;
  /** Until then each is delivered once. */
  begin(): void;
  /** How many messages were delivered a second time, and answered. */
  readonly doubled: () => number;
  close(): Promise<void>;
}

interface Delivered {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

export async function doublingProxy(to: number): Promise<DoublingProxy> {
  let doubled = 0;
  let isOn = false;
  const serve = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const body = await buffer(incoming);
    const first = await delivered(to, incoming, body);
    outgoing.writeHead(first.status, first.headers).end(first.body);
    if (!isOn || incoming.method === 'GET') return;
    await delivered(to, incoming, body);
    doubled += 1;
  };
  const server = createServer((incoming, outgoing) => {
    // Whoever is gone by now hears nothing, as on any network.
    serve(incoming, outgoing).catch(() => outgoing.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    port: address.port,
    begin: () => {
      isOn = true;
    },
    doubled: () => doubled,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function delivered(
  port: number,
  { method, url, headers }: IncomingMessage,
  body: Buffer,
): Promise<Delivered> {
  return new Promise((resolve, reject) => {
    const going = request({ host: '127.0.0.1', port, method, path: url, headers, agent: false });
    going.on('error', reject).on('response', (answer) => {
      buffer(answer).then(
        (whole) =>
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: whole }),
        reject,
      );
    });
    going.end(body);
  });
}
