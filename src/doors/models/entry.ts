/**
 * Who may enter at all: a request to this very address, not from a page in a browser, with this
 * door's token at the front of its path. Whatever is wrong, the answer is the same (L-N7).
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

export interface Entered {
  /** Without token and query. */
  readonly path: string;
  /** Without its `?`. */
  readonly query: string;
}

const prefixed = /^\/x\/([^/?#]{1,200})(\/[^?#]*)?(?:\?([^#]*))?$/;

export function entered(request: IncomingMessage, token: string, port: number): Entered | null {
  const [, given = '', path = '/', query = ''] = prefixed.exec(request.url ?? '') ?? [];
  const isOurs = isSame(given, token);
  const { host, origin } = request.headers;
  const isHere = host === `127.0.0.1:${port}` || host === `localhost:${port}`;
  // No measured CLI sends an origin; a page that knows the token still has no business here.
  const isPage = origin !== undefined || request.headers['sec-fetch-site'] !== undefined;
  return isOurs && isHere && !isPage ? { path, query } : null;
}

/** In the same time whatever is given: digests have one length and are compared whole. */
function isSame(given: string, token: string): boolean {
  const digest = (value: string) => createHash('sha256').update(value).digest();
  return timingSafeEqual(digest(given), digest(token));
}
