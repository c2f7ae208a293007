/**
 * The models door: a small HTTP/1.1 server on loopback for one lane (DESIGN §11). It knows one
 * token, a few paths and pinned services; everything else is refused. Nothing it sees is written
 * anywhere by itself: signals go to the host, which keeps and redacts.
 *
 * It does not proxy websockets (426 makes codex fall back to POST), follow redirects, or reach
 * services through a proxy of the environment.
 */
import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../ports/clock.ts';
import type { ModelsDoor, OpenModelsDoor } from '../../ports/models-door.ts';
import { callsOf } from './calls.ts';
import { entered } from './entry.ts';
import { gate } from './gate.ts';
import { type DoorSpans, doorSpans } from './parts.ts';
import { noEntry } from './refusal.ts';
import { answerWith } from './reply.ts';
import { requestPath } from './request-path.ts';
import { servicesFor } from './upstream.ts';

export interface ModelsDoorOptions {
  readonly clock: Clock;
  /** Resolves a CredentialRef (`env:`, `file:`, `command:`); its values stay in memory. */
  readonly credential: (reference: string) => Promise<string>;
  /** A fault of the door's own or of the budget behind it; the call it hit is refused or ended. */
  readonly onFailure: (error: unknown) => void;
  readonly spans?: Partial<DoorSpans>;
}

const connectionsMax = 128;
const keepAliveMs = 75_000;
const headersMs = 60_000;

export function modelsDoor(options: ModelsDoorOptions): OpenModelsDoor {
  return async (request) => {
    const services = await servicesFor(request, options.credential);
    const token = randomBytes(24).toString('base64url');
    const parts = {
      mode: request.mode,
      clock: options.clock,
      gate: gate(),
      calls: callsOf(options.clock, request.onSignal),
      budget: request.budget,
      spans: { ...doorSpans, ...options.spans },
    };
    const serve = requestPath(parts, services);
    const open = new Set<Promise<void>>();
    const server = listener(options, { token, serve, open });
    const port = await listening(server);
    const closeServer = once(async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
      // What was under way has lost its lane and settles as such.
      await Promise.all([...open]);
      for (const service of services.values()) service.close();
    });
    return {
      url: `http://127.0.0.1:${port}/x/${token}`,
      token,
      state: () => ({
        inFlight: parts.calls.inFlight(),
        lastByteMs: parts.calls.lastByteMs(),
        closed: parts.gate.closed(options.clock.now()),
        trouble: parts.calls.trouble(),
      }),
      usage: parts.calls.meter.usage,
      reopen: parts.gate.reopen,
      close: closeServer,
    } satisfies ModelsDoor;
  };
}

interface Listening {
  readonly token: string;
  readonly serve: ReturnType<typeof requestPath>;
  readonly open: Set<Promise<void>>;
}

function listener(options: ModelsDoorOptions, { token, serve, open }: Listening): Server {
  const server = createServer((incoming, outgoing) => {
    const at = entered(incoming, token, portOf(server));
    // Its body is not read: who may not enter costs nothing.
    if (at === null) {
      answerWith(outgoing, noEntry);
      return;
    }
    const served = serve({ incoming, lane: outgoing, ...at }).catch((error: unknown) => {
      options.onFailure(error);
      outgoing.destroy();
    });
    open.add(served);
    const done = () => open.delete(served);
    served.then(done, done);
  });
  server.maxConnections = connectionsMax;
  server.keepAliveTimeout = keepAliveMs;
  server.headersTimeout = headersMs;
  server.timeout = 0;
  server.on('upgrade', (_request, socket) => endRaw(socket, '426 Upgrade Required'));
  server.on('connect', (_request, socket) => endRaw(socket, '405 Method Not Allowed'));
  return server;
}

function endRaw(socket: Duplex, status: string): void {
  // A peer that is gone has nothing to be told.
  socket.on('error', () => socket.destroy());
  socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
}

function listening(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    // Loopback whatever the environment says (L-N9).
    server.listen(0, '127.0.0.1', () => resolve(portOf(server)));
  });
}

function portOf(server: Server): number {
  const address = server.address() as AddressInfo | null;
  return address === null ? 0 : address.port;
}

function once(act: () => Promise<void>): () => Promise<void> {
  let under: Promise<void> | null = null;
  return () => {
    under ??= act();
    return under;
  };
}
