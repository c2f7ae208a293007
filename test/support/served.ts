/** A server of the built program on a free port, and raw requests to it. */
import { request } from 'node:http';
import type { Pawl, Started } from './pawl.ts';

export interface Served {
  readonly url: string;
  readonly started: Started;
}

/** The longest that a test has a server. */
const servedMs = 20 * 60_000;

export interface ServeOptions {
  readonly listen?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export async function serve(
  pawl: Pawl,
  args: readonly string[] = [],
  { listen = '127.0.0.1:0', env = {} }: ServeOptions = {},
): Promise<Served> {
  const line = ['serve', '--listen', listen, ...args];
  const started = pawl.start(line, { env, timeoutMs: servedMs });
  let said = '';
  started.child.stdout?.on('data', (text: string) => {
    said += text;
  });
  await started.seen(/"event":"listening"/);
  const url = /"url":"([^"]+)"/.exec(said)?.[1];
  if (url === undefined) throw new Error(`no address in ${said}`);
  return { url, started };
}

export interface Raw {
  readonly status: number;
  readonly text: string;
}

/** As any program would, with every header as it is given. */
export function raw(
  url: string,
  options: {
    readonly method?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
    /** Ends the reading of an answer that does not end by itself. */
    readonly until?: (text: string) => boolean;
  } = {},
): Promise<Raw> {
  return new Promise((resolve, reject) => {
    const { method = 'GET', headers = {}, body, until } = options;
    const going = request(url, { method, headers, agent: false }, (response) => {
      let text = '';
      const settle = () => resolve({ status: response.statusCode ?? 0, text });
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
        if (until?.(text) !== true) return;
        settle();
        response.destroy();
      });
      response.on('error', reject).on('end', settle);
    });
    going.on('error', reject);
    going.end(body);
  });
}
