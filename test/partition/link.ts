/**
 * The way between a worker and its server, which can be cut. Where the machine lets us (Linux, as
 * root), the worker lives in a network namespace of its own behind a pair of virtual cables, and a
 * cut takes its cable down; elsewhere, and where only one direction is lost, a proxy stands
 * between.
 */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { type CuttingProxy, cuttingProxy } from '../support/cutting-proxy.ts';

export interface Link {
  readonly kind: 'network namespace' | 'cutting proxy';
  /** Where the server listens for it. */
  readonly listen: string;
  /** What starts a program at the worker's end. */
  readonly through: readonly string[];
  /** The server's address, as the worker types it. */
  address(served: string): Promise<string>;
  cut(): void;
  heal(): void;
  /** The proxy, of a link that has one. */
  readonly proxy: () => CuttingProxy;
  close(): Promise<void>;
}

let made = 0;
const ip = (...args: readonly string[]) =>
  execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'pipe'] });

/** A namespace of its own, or null where this machine does not let us have one. */
export function namespaceLink(): Link | null {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return null;
  made += 1;
  const id = `${process.pid % 10_000}n${made}`;
  const [name, here, there] = [`pawl-${id}`, `ph${id}`, `pw${id}`];
  const subnet = `10.231.${(process.pid + made) % 250}`;
  const remove = () => {
    execFileSync('ip', ['netns', 'del', name], { stdio: 'ignore' });
  };
  try {
    ip('netns', 'add', name);
  } catch {
    return null;
  }
  try {
    ip('link', 'add', here, 'type', 'veth', 'peer', 'name', there, 'netns', name);
    ip('addr', 'add', `${subnet}.1/24`, 'dev', here);
    ip('link', 'set', here, 'up');
    ip('-n', name, 'addr', 'add', `${subnet}.2/24`, 'dev', there);
    ip('-n', name, 'link', 'set', 'lo', 'up');
    ip('-n', name, 'link', 'set', there, 'up');
  } catch {
    remove();
    return null;
  }
  return {
    kind: 'network namespace',
    listen: `${subnet}.1:0`,
    through: ['ip', 'netns', 'exec', name],
    address: async (served) => served,
    cut: () => ip('-n', name, 'link', 'set', there, 'down'),
    heal: () => ip('-n', name, 'link', 'set', there, 'up'),
    proxy: () => {
      throw new Error('a namespace has no proxy');
    },
    close: async () => remove(),
  };
}

/**
 * What starts a program on a machine of its own, as far as its boot tells: a server that sees its
 * own boot id in a holder ends it by its pid. Empty where this machine does not let us.
 */
export function bootOfItsOwn(): readonly string[] {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return [];
  const mounted = `echo ${randomUUID()} > "$f" && mount --bind "$f" ${bootIdFile} && rm "$f"`;
  const script = `f=$(mktemp) && ${mounted} && exec "$@"`;
  const through = ['unshare', '--mount', 'sh', '-c', script, 'sh'];
  try {
    execFileSync('unshare', [...through.slice(1), 'true'], { stdio: 'ignore' });
    return through;
  } catch {
    return [];
  }
}

const bootIdFile = '/proc/sys/kernel/random/boot_id';

export function proxyLink(): Link {
  let proxy: CuttingProxy | null = null;
  const standing = () => {
    if (proxy === null) throw new Error('nobody has asked for its address yet');
    return proxy;
  };
  return {
    kind: 'cutting proxy',
    listen: '127.0.0.1:0',
    through: bootOfItsOwn(),
    address: async (served) => {
      proxy ??= await cuttingProxy(Number(new URL(served).port));
      return `http://127.0.0.1:${proxy.port}`;
    },
    cut: () => standing().freeze(true),
    heal: () => standing().heal(),
    proxy: standing,
    close: async () => proxy?.close(),
  };
}
