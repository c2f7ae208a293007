/** Which server a command asks (`--server`, `PAWL_SERVER`), and which commands cannot ask one. */
import { RequestError } from '../kernel/errors.ts';
import { isLoopback } from '../kernel/loopback.ts';
import type { Command } from './command.ts';
import type { CliOptions } from './composition.ts';
import type { Arguments } from './parse.ts';

type Told = Pick<CliOptions, 'env'>;

/**
 * Without a path; null: the store of this machine.
 * @throws RequestError `bad_value`, `server_insecure`.
 */
export function serverOf(told: Told, given: Arguments): string | null {
  const flag = given.text('server');
  const text = flag ?? told.env['PAWL_SERVER'] ?? '';
  // A flag with nothing, as of a variable that is not set, must not fall back to this machine.
  if (flag === null && text === '') return null;
  return addressOf(told, text, flag === null ? 'PAWL_SERVER' : '--server');
}

/** What is sent there holds a token: in clear only within this machine, or by an explicit word. */
export function addressOf({ env }: Told, text: string, where: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isServer = url !== null && ['http:', 'https:'].includes(url.protocol);
  if (isServer && url.pathname === '/' && url.search === '' && isNobody(url)) {
    const isSafe = url.protocol === 'https:' || isLoopback(bare(url.hostname));
    if (isSafe || env['PAWL_SERVER_INSECURE'] === '1') return url.origin;
    throw new RequestError(
      'server_insecure',
      'an operator token would travel to another machine unencrypted',
      { where, found: url.origin, allowed: 'https://, or http:// to this machine alone' },
    );
  }
  throw new RequestError('bad_value', 'this is no address of a server', {
    where,
    found: url === null ? text : url.origin + url.pathname,
    allowed: 'http://host:port or https://host:port',
  });
}

const bare = (host: string): string => host.replace(/^\[|\]$/g, '');
const isNobody = ({ username, password }: URL): boolean => `${username}${password}` === '';

/** They read or change files of this machine beside the store that they ask. */
const storeOfThisMachine = new Set([
  ...['attach', 'demo', 'doctor', 'service', 'db status', 'db migrate', 'db copy', 'db archive'],
  'operator',
]);
/** They ask no store at all, so that a server in the environment is nothing to them. */
const noStore = new Set([
  ...['init', 'checks', 'config check', 'config show', 'config schema', 'config path'],
  ...['artifact verify', 'serve', 'completion', 'help'],
]);

/**
 * `worker` without a verb asks a server by its own key; who may work is said where the store is.
 */
const isOfThisMachine = (name: string, given: Arguments): boolean =>
  storeOfThisMachine.has(name) || (name === 'worker' && given.words.length > 0);

/** @throws RequestError `not_remote`. */
export function mustWorkThere(told: Told, { name }: Command, given: Arguments): void {
  const isNamed = given.has('server');
  const isAsked = serverOf(told, given) !== null;
  if (!(isAsked && isOfThisMachine(name, given)) && !(isNamed && noStore.has(name))) return;
  if (name === 'serve' && given.has('drain')) return;
  throw new RequestError('not_remote', `"pawl ${name}" is about this machine`, {
    where: isNamed ? '--server' : 'PAWL_SERVER',
    next: isNamed ? `pawl ${name} --help` : `unset PAWL_SERVER   ·   pawl ${name} --help`,
  });
}
