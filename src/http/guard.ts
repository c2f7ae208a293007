/**
 * Which requests are looked at at all. A page of the web can make a browser call a server of this
 * machine: under a name of its own that it lets point here (DNS rebinding), or across sites. So the
 * name that is called must be known, and a page must come from this server itself.
 */
import { isIP } from 'node:net';
import { RequestError } from '../kernel/errors.ts';

export interface GuardOptions {
  /** Names beside addresses and `localhost`, in lower case. */
  readonly names: readonly string[];
}

export interface Asked {
  readonly host: string | undefined;
  readonly origin: string | undefined;
  /** `sec-fetch-site`: what a browser says of who asks. */
  readonly site: string | undefined;
}

/** @throws RequestError `host_refused`, `origin_refused`. */
export function guard({ names }: GuardOptions): (asked: Asked) => void {
  const known = new Set(['localhost', ...names.map((name) => name.toLowerCase())]);
  return ({ host, origin, site }) => {
    const name = nameIn(host);
    // An address cannot be let point elsewhere; a name can.
    if (name === null || !(known.has(name) || isIP(name) !== 0)) {
      throw new RequestError('host_refused', 'this server does not go by that name', {
        where: 'host',
        found: String(host).slice(0, 200),
        allowed: [...known, 'an address'].join(', '),
      });
    }
    const isForeign = origin !== undefined && hostOf(origin) !== host?.toLowerCase();
    if (isForeign || site === 'cross-site') {
      throw new RequestError('origin_refused', 'a page of another site called this server', {
        where: 'origin',
        found: String(origin ?? site).slice(0, 200),
      });
    }
  };
}

/** Without the port, which a tunnel changes; null for what is no host. */
function nameIn(host: string | undefined): string | null {
  const found = /^(?:\[([0-9a-f:.]+)\]|([\w.-]+))(?::\d{1,5})?$/i.exec(host ?? '');
  return (found?.[1] ?? found?.[2])?.toLowerCase() ?? null;
}

/** `null`, and whatever is no address, is nobody's host. */
function hostOf(origin: string): string | null {
  return URL.canParse(origin) ? new URL(origin).host.toLowerCase() : null;
}
