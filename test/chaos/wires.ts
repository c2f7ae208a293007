/** The way between a worker and its server: messages are lost on it, late, or delivered twice. */
import { cuttingProxy } from '../support/cutting-proxy.ts';
import { doublingProxy } from '../support/doubling-proxy.ts';

export type Wire = 'dropped' | 'delayed' | 'doubled';

export interface Way {
  /** Where the worker goes. */
  readonly url: string;
  /** From now on. */
  begin(): void;
  /** How often something happened to a message. */
  readonly harmed: () => number;
  close(): Promise<void>;
}

const local = (port: number) => `http://127.0.0.1:${port}`;
/** Less than a worker waits for an answer. */
const lateMs = 1_200;
/** An odd number: messages are lost, and answers to what arrived. */
const lostEvery = 5;

/** Without a wire it is the server's own address, and nothing happens on it but what is done. */
export async function wayTo(server: string, wire?: Wire): Promise<Way> {
  const port = Number(new URL(server).port);
  if (wire === undefined) {
    return { url: server, begin: () => {}, harmed: () => 1, close: async () => {} };
  }
  if (wire === 'doubled') {
    const { port: near, begin, doubled, close } = await doublingProxy(port);
    return { url: local(near), begin, harmed: doubled, close };
  }
  const proxy = await cuttingProxy(port);
  if (wire === 'delayed') {
    const begin = () => proxy.slow(lateMs);
    return { url: local(proxy.port), begin, harmed: () => 1, close: proxy.close };
  }
  const begin = () => proxy.cutEvery(lostEvery);
  return { url: local(proxy.port), begin, harmed: proxy.cuts, close: proxy.close };
}
