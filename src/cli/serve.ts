/** `pawl serve`: driver and endpoints in one process; a log of one JSON object per line. */

import { answer, type Command, type Context } from './command.ts';
import type { ServeEntry } from './composition.ts';
import { databaseOf } from './database.ts';
import { exits } from './exit.ts';
import { iso } from './format.ts';
import { type FlagSpec, usage } from './parse.ts';
import { addressOf } from './server.ts';

const listenUsual = '127.0.0.1:7295';

export const command: Command = {
  name: 'serve',
  summary:
    'Drive the runs of this store, and answer others over HTTP: this machine alone, unless told.',
  arguments: { usage: '', min: 0, max: 0 },
  flags: [
    {
      name: 'database',
      kind: 'value',
      value: 'url',
      says: 'PostgreSQL as the store, for any number of servers (PAWL_DATABASE)',
    },
    {
      name: 'listen',
      kind: 'value',
      value: 'host:port',
      says: `where (${listenUsual}); port 0: a free one`,
    },
    {
      name: 'tls-cert',
      kind: 'value',
      value: 'file',
      says: 'certificate, PEM; beyond this machine needed',
    },
    { name: 'tls-key', kind: 'value', value: 'file', says: 'its key, PEM' },
    { name: 'insecure', kind: 'switch', says: 'listen beyond this machine without encryption' },
    { name: 'drain', kind: 'switch', says: 'ask the running server to hand over and leave' },
    { name: 'elsewhere', kind: 'switch', says: 'start nothing here: workers do all the work' },
    { name: 'host', kind: 'list', value: 'name', says: 'a further name that clients call it by' },
  ],
  examples: [
    'pawl serve',
    'pawl serve --listen 0.0.0.0:7295 --tls-cert cert.pem --tls-key key.pem',
  ],
  run,
};

async function run(context: Context): Promise<number> {
  const { given, io, options } = context;
  if (given.has('drain')) return drain(context);
  const ending = new AbortController();
  const unwatch = (['SIGTERM', 'SIGINT'] as const).map((signal) =>
    io.onSignal(signal, () => ending.abort()),
  );
  // A terminal that closes does not end it.
  unwatch.push(io.onSignal('SIGHUP', () => {}));
  const log = ({ event, level = 'info', ...facts }: ServeEntry): void => {
    const line = { schema: 'pawl.log/1', at: iso(io.now()), level, event, ...facts };
    io.stdout.write(`${JSON.stringify(line)}\n`);
  };
  const request = {
    database: databaseOf(given.text('database')),
    listen: given.text('listen') ?? listenUsual,
    tlsCert: given.text('tls-cert'),
    tlsKey: given.text('tls-key'),
    insecure: given.has('insecure'),
    elsewhere: given.has('elsewhere'),
    hosts: given.list('host'),
  };
  try {
    await options.serve(request, { signal: ending.signal, log });
  } finally {
    for (const stop of unwatch) stop();
  }
  return exits.done;
}

/** The one that is named by a flag, else by PAWL_SERVER, else that listens where it always does. */
async function drain(context: Context): Promise<number> {
  const { given, options, server } = context;
  const listen = given.text('listen');
  const isServed = ({ name }: FlagSpec): boolean => name !== 'drain' && name !== 'listen';
  const other = command.flags.find((flag) => isServed(flag) && given.has(flag.name));
  if (other !== undefined) {
    throw usage('serve', `--drain asks a server that runs: --${other.name} says how to start one`);
  }
  if (given.has('server') && listen !== null)
    throw usage('serve', '--server and --listen both name it');
  const typed = listen === null ? null : addressOf(options, `http://${listen}`, '--listen');
  const url = typed ?? server ?? `http://${listenUsual}`;
  await options.drain(url);
  const lines = [`✓ ${url} takes no new work; it hands over and leaves`];
  answer(context, lines, { schema: 'pawl.drain/1', server: url, draining: true });
  return exits.done;
}
