/**
 * Hints between processes by LISTEN and NOTIFY, on a connection of their own: for latency only,
 * whoever follows reads from time to time as well.
 *
 * A NOTIFY inside a writing transaction would make all commits stand in line, so it is sent after
 * the commit, and one for all that are committed within a few milliseconds after it. A connection
 * can be deaf and look well (half open, or behind a pooler that gives each statement another
 * session), so it talks to itself from time to time, and is replaced when it does not hear that
 * (D-111).
 */
import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import type pg from 'pg';
import type { Database } from './connect.ts';

export interface Notifying {
  /** Something was committed here: the others are told soon. */
  committed(): void;
  /** Listens from now on, until `close`. */
  listen(): void;
  close(): Promise<void>;
}

export interface NotifyOptions {
  readonly database: Pick<Database, 'apart'>;
  readonly heard: () => void;
  readonly spans?: Partial<typeof defaultSpans>;
}

const defaultSpans = { coalesceMs: 5, probeMs: 5_000, deafMs: 60_000 };
const channel = 'pawl_committed';
const probeChannel = 'pawl_probe';
/** Connections in a row that were deaf: then nothing listens for a while, and polling stays. */
const deafMax = 3;

export function notifying({ database, heard, spans }: NotifyOptions): Notifying {
  const { coalesceMs, probeMs, deafMs } = { ...defaultSpans, ...spans };
  let wanted = false;
  /** What was said to oneself and not heard yet. */
  let expected: string | null = null;
  let deaf = 0;
  /** Committed since the last hint was sent. */
  let more = false;
  const line = lineOf(database, {
    opened: (client) =>
      wanted ? client.query(`listen ${channel}; listen ${probeChannel}`) : Promise.resolve(),
    notified: (where, payload) => {
      if (where === channel) heard();
      else if (payload === expected) {
        expected = null;
        deaf = 0;
      }
    },
  });
  const sending = timer();
  const probing = timer();
  /** At once, since somebody may wait for it; what comes right after shares the next one. */
  const send = (): void => {
    more = false;
    line.say((client) => client.query(`notify ${channel}`));
    sending.set(() => {
      if (more) send();
    }, coalesceMs);
  };
  const probe = (): void => {
    if (expected !== null) {
      deaf += 1;
      expected = null;
      line.drop();
    }
    if (deaf >= deafMax) {
      deaf = 0;
      line.drop();
      probing.set(probe, deafMs);
      return;
    }
    const said = randomBytes(9).toString('base64url');
    expected = said;
    line.say((client) => client.query('select pg_notify($1, $2)', [probeChannel, said]));
    probing.set(probe, probeMs);
  };
  return {
    committed: () => {
      if (sending.isSet()) more = true;
      else send();
    },
    listen: () => {
      if (wanted) return;
      wanted = true;
      line.drop();
      probe();
    },
    close: () => {
      sending.stop();
      probing.stop();
      return line.close();
    },
  };
}

interface Line {
  /** One after another; what cannot be said is not said: it was a hint. */
  say(action: (client: pg.Client) => Promise<unknown>): void;
  /** The next word opens another connection. */
  drop(): void;
  close(): Promise<void>;
}

interface LineEvents {
  readonly opened: (client: pg.Client) => Promise<unknown>;
  readonly notified: (channel: string, payload: string | undefined) => void;
}

/** Words that wait; a server that does not answer must not make a heap of them. */
const waitingMax = 4;

function lineOf(database: Pick<Database, 'apart'>, { opened, notified }: LineEvents): Line {
  let client: pg.Client | null = null;
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  let closed = false;
  const drop = (): void => {
    const gone = client;
    client = null;
    // Nobody waits for its end, and how it ends tells nothing: it was given up.
    if (gone !== null) farewell(gone).catch(() => {});
  };
  const connected = async (): Promise<pg.Client> => {
    if (client !== null) return client;
    const next = await database.apart();
    next.on('error', () => {
      if (client === next) drop();
    });
    next.on('notification', ({ channel: where, payload }) => notified(where, payload));
    client = next;
    await opened(next);
    return next;
  };
  return {
    drop,
    say: (action) => {
      if (closed || waiting >= waitingMax) return;
      waiting += 1;
      last = last
        .then(() => (closed ? undefined : connected().then(action)))
        .catch(drop)
        .finally(() => {
          waiting -= 1;
        });
    },
    close: async () => {
      closed = true;
      await last;
      const open = client;
      client = null;
      if (open !== null) await farewell(open);
    },
  };
}

const farewellMs = 1_000;

/** A server that is not there any more takes no leave: then the connection is cut from here. */
async function farewell(client: pg.Client): Promise<void> {
  const { stream } = (client as unknown as { readonly connection: { readonly stream: Socket } })
    .connection;
  const cut = setTimeout(() => stream.destroy(), farewellMs);
  try {
    await client.end();
  } finally {
    clearTimeout(cut);
  }
}

/** One at a time; it keeps no process alive. */
function timer() {
  let running: NodeJS.Timeout | null = null;
  return {
    isSet: () => running !== null,
    set: (action: () => void, ms: number): void => {
      running = setTimeout(() => {
        running = null;
        action();
      }, ms);
      running.unref();
    },
    stop: () => {
      if (running !== null) clearTimeout(running);
    },
  };
}
