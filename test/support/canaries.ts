/**
 * Unique values that stand for secrets, and the search for them: a value is found as it is and in
 * base64, base64url and hex, and so is either half of it, since half a key is still a key.
 */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import type { FoundProcess } from './processes.ts';

export interface Canary {
  readonly name: string;
  readonly value: string;
  readonly needles: readonly string[];
}

/** `around`: what the random part stands between, so that encodings of it differ. */
export function canary(name: string, around: readonly [string, string] = ['', '']): Canary {
  const core = randomBytes(12).toString('hex');
  return canaryOf(name, `${around[0]}${core}${around[1]}`, core);
}

/** A secret that the product made; `core`: what of it is random. */
export function canaryOf(name: string, value: string, core: string = value): Canary {
  const bytes = Buffer.from(core);
  const encoded = [0, 1, 2].flatMap((offset) =>
    (['base64', 'base64url'] as const).map((encoding) =>
      Buffer.concat([Buffer.alloc(offset), bytes])
        .toString(encoding)
        .replace(/=+$/, '')
        // What depends on its neighbours is none of it.
        .slice(offset === 0 ? 0 : offset + 1, -1),
    ),
  );
  const forms = [core, bytes.toString('hex'), ...encoded];
  return { name, value, needles: [...new Set(forms.flatMap(halves))] };
}

const halves = (text: string): readonly string[] => {
  const middle = text.length >> 1;
  return [text.slice(0, middle), text.slice(middle)];
};

/** Names of those that the text holds. */
export const heldBy = (text: string, canaries: readonly Canary[]): readonly string[] =>
  canaries
    .filter(({ needles }) => needles.some((needle) => text.includes(needle)))
    .map(({ name }) => name);

/** What it is called, and its text. */
export type Place = readonly [string, string];

/** Where → what it holds; places that hold none are left out. */
export type Findings = Readonly<Record<string, readonly string[]>>;

export function findings(places: Iterable<Place>, canaries: readonly Canary[]): Findings {
  const found: Record<string, readonly string[]> = {};
  for (const [place, text] of places) {
    const names = heldBy(text, canaries);
    if (names.length > 0) found[place] = [...new Set([...(found[place] ?? []), ...names])];
  }
  return found;
}

/** Every file below, its raw bytes, and its path; what vanishes meanwhile is left out. */
export function* filesBelow(folder: string): Generator<Place> {
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    yield [path, `${path}\n${unlessGone(() => readFileSync(path, 'latin1'))}`];
  }
}

/** Every object of a repository, whatever refers to it, unpacked. */
export function objectsOf(directory: string): Place {
  const args = ['cat-file', '--batch-all-objects', '--batch'];
  const bytes = execFileSync('git', args, { cwd: directory, maxBuffer: 256 * 1024 * 1024 });
  return [`objects of ${directory}`, bytes.toString('latin1')];
}

/** Every column of every table of every schema that is not the database's own. */
export async function rowsOf(url: string): Promise<readonly Place[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ place: string; name: string }>(
      `select quote_ident(schemaname) || '.' || quote_ident(tablename) as place, tablename as name
       from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`,
    );
    const places: Place[] = [];
    for (const { place, name } of tables) {
      const { rows } = await client.query<Record<string, unknown>>(`select * from ${place}`);
      // In their order: the chunks of what was cut follow upon one another.
      for (const column of Object.keys(rows[0] ?? {})) {
        places.push([`${name}.${column}`, rows.map((row) => textOf(row[column])).join('')]);
      }
    }
    return places;
  } finally {
    await client.end();
  }
}

function textOf(value: unknown): string {
  if (Buffer.isBuffer(value)) return value.toString('latin1');
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}

/** Arguments and environment of each, as anybody of the same user sees them. */
export function* seenOf(processes: readonly FoundProcess[]): Generator<Place> {
  for (const { pid, command } of processes) {
    const of = (file: string) => unlessGone(() => readFileSync(`/proc/${pid}/${file}`, 'latin1'));
    yield [`argv: ${command}`, of('cmdline')];
    yield [`environ: ${command}`, of('environ')];
  }
}

function unlessGone(read: () => string): string {
  try {
    return read();
  } catch (error: unknown) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (['ENOENT', 'ESRCH', 'EACCES'].includes(code)) return '';
    throw error;
  }
}

export interface RecordingProxy {
  readonly url: string;
  /** All that went either way, each connection and way for itself. */
  heard(): string;
  close(): Promise<void>;
}

/** Stands between two programs that speak unencrypted, and keeps what they say. */
export async function recordingProxy(to: string): Promise<RecordingProxy> {
  const port = Number(new URL(to).port);
  const said: Buffer[][] = [];
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect({ port, host: '127.0.0.1' });
    for (const [from, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      const way: Buffer[] = [];
      said.push(way);
      from.on('data', (bytes: Buffer) => way.push(bytes));
      from.on('error', () => other.destroy());
      from.on('close', () => other.destroy());
      from.pipe(other);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    heard: () => said.map((way) => Buffer.concat(way).toString('latin1')).join('\n'),
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}
