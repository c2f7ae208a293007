/** A TCP proxy on loopback that a test can cut, in either direction. */
import { connect, createServer, type Socket } from 'node:net';

export type Cut =
  /** The next answer is not handed back: the connection is gone when it comes. */
  | 'answer'
  /** The next message is not handed on: the connection is gone when it comes. */
  | 'message';

export interface CuttingProxy {
  readonly port: number;
  /** Once, by whichever connection is next. */
  cutNext(what: Cut): void;
  /** Each n-th of all that comes, either way, is not handed on: the connection is gone. */
  cutEvery(n: number): void;
  /** Takes what comes and hands nothing on, not even an end, in both directions. */
  freeze(frozen: boolean): void;
  /** As `freeze`, in one direction: what goes the other way still arrives. */
  lose(what: Cut): void;
  /** Each way takes so much longer. */
  slow(ms: number): void;
  /** Whoever comes from now on is led to that port; whoever was led elsewhere is cut off. */
  turn(to: number): void;
  /** Nothing is lost or late any more; connections that lost something are gone. */
  heal(): void;
  readonly cuts: () => number;
  /** How often a client spoke after it was answered, or first: round trips. */
  readonly turns: () => number;
  close(): Promise<void>;
}

export async function cuttingProxy(first: number): Promise<CuttingProxy> {
  let [cuts, turns, to] = [0, 0, first];
  const { isCut, ...cutting } = cutter();
  let frozen = false;
  let lost: Cut | null = null;
  let slowMs = 0;
  const spoilt = new Set<() => void>();
  const isLost = (what: Cut) => frozen || lost === what;
  const soon = (write: () => void) => (slowMs > 0 ? setTimeout(write, slowMs) : write());
  const sockets = new Set<Socket>();
  const allowHalfOpen = true;
  const server = createServer({ allowHalfOpen }, (client) => {
    const upstream = connect({ port: to, host: '127.0.0.1', allowHalfOpen });
    const end = () => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', end);
      socket.on('end', () => {
        if (!frozen && lost === null) end();
      });
      socket.on('close', () => {
        sockets.delete(socket);
        end();
      });
    }
    const pass = (what: Cut, other: Socket) => (bytes: Buffer) => {
      if (isLost(what)) {
        spoilt.add(end);
        return;
      }
      if (isCut(what)) {
        cuts += 1;
        end();
      } else soon(() => other.write(bytes));
    };
    countTurns(client, upstream, () => {
      turns += 1;
    });
    client.on('data', pass('message', upstream));
    upstream.on('data', pass('answer', client));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    port: address.port,
    ...cutting,
    turn: (next) => {
      to = next;
      for (const socket of sockets) socket.destroy();
    },
    freeze: (on) => {
      frozen = on;
    },
    lose: (what) => {
      lost = what;
    },
    slow: (ms) => {
      slowMs = ms;
    },
    heal: () => {
      [frozen, lost, slowMs] = [false, null, 0];
      for (const end of spoilt) end();
      spoilt.clear();
    },
    cuts: () => cuts,
    turns: () => turns,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

/** Which of what comes is cut. */
function cutter() {
  let next: Cut | null = null;
  let [every, come] = [0, 0];
  return {
    cutNext: (what: Cut) => {
      next = what;
    },
    cutEvery: (n: number) => {
      every = n;
    },
    isCut: (what: Cut): boolean => {
      come += 1;
      const isNext = next === what;
      if (isNext) next = null;
      return isNext || (every > 0 && come % every === 0);
    },
  };
}

function countTurns(client: Socket, upstream: Socket, turned: () => void): void {
  let isAnswered = true;
  client.on('data', () => {
    if (isAnswered) turned();
    isAnswered = false;
  });
  upstream.on('data', () => {
    isAnswered = true;
  });
}
