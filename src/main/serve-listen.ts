/**
 * Where a server listens, and whether it may: beyond this machine only encrypted, or by an explicit
 * word.
 */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import type { ServeRequest } from '../cli/composition.ts';
import { RequestError } from '../kernel/errors.ts';
import { isLoopback } from '../kernel/loopback.ts';

export interface Listening {
  readonly listen: { readonly host: string; readonly port: number };
  readonly tls: { readonly cert: string; readonly key: string } | null;
  /** What clients may call it by, beside addresses and `localhost`. */
  readonly names: readonly string[];
}

type Asked = Pick<ServeRequest, 'listen' | 'tlsCert' | 'tlsKey' | 'insecure' | 'hosts'>;

/** @throws RequestError `bad_value`, `listen_insecure`. */
export async function listening(asked: Asked): Promise<Listening> {
  const listen = addressIn(asked.listen);
  const tls = await tlsOf(asked);
  if (tls === null && !asked.insecure && !isLoopback(listen.host)) {
    throw new RequestError(
      'listen_insecure',
      'other machines could reach it, and nothing would be encrypted',
      {
        where: '--listen',
        found: asked.listen,
        allowed:
          'an address of this machine alone (127.0.0.1, ::1, localhost) without a certificate',
      },
    );
  }
  const own = isIP(listen.host) === 0 ? [listen.host] : [];
  const names = [...asked.hosts, ...own, ...(tls?.names ?? [])];
  return {
    listen,
    tls: tls === null ? null : { cert: tls.cert, key: tls.key },
    names: isLoopback(listen.host) ? names : [...names, hostname()],
  };
}

/** `127.0.0.1:7295`, `[::1]:7295`, `localhost:0`. */
function addressIn(text: string): { readonly host: string; readonly port: number } {
  const found = /^(?:\[([0-9a-fA-F:.]+)\]|([\w.-]+)):(\d{1,5})$/.exec(text);
  const host = found?.[1] ?? found?.[2];
  const port = Number(found?.[3]);
  if (host !== undefined && port <= 65_535) return { host, port };
  throw new RequestError('bad_value', `"${text}" is no address to listen at`, {
    where: '--listen',
    allowed: 'host:port, like 127.0.0.1:7295 or [::1]:7295; port 0 takes a free one',
  });
}

async function tlsOf({ tlsCert, tlsKey }: Asked) {
  if (tlsCert === null && tlsKey === null) return null;
  if (tlsCert === null || tlsKey === null) {
    const where = tlsCert === null ? '--tls-cert' : '--tls-key';
    throw new RequestError('usage', 'a certificate and its key go together', {
      where,
      next: 'pawl serve --tls-cert cert.pem --tls-key key.pem',
    });
  }
  const cert = await textOf('--tls-cert', tlsCert);
  const key = await textOf('--tls-key', tlsKey);
  return { cert, key, names: namesIn(cert, key, tlsCert) };
}

function namesIn(cert: string, key: string, path: string): readonly string[] {
  let leaf: X509Certificate;
  let isPair: boolean;
  try {
    leaf = new X509Certificate(cert);
    isPair = leaf.checkPrivateKey(createPrivateKey(key));
  } catch (error: unknown) {
    const found = error instanceof Error ? error.message : String(error);
    throw new RequestError('bad_value', 'the certificate or its key cannot be read', {
      where: '--tls-cert',
      found: `${path}: ${found}`,
      allowed: 'PEM files, the key without a passphrase',
    });
  }
  if (!isPair) {
    throw new RequestError('bad_value', 'the key is not that of the certificate', {
      where: '--tls-key',
      found: path,
    });
  }
  return [...(leaf.subjectAltName ?? '').matchAll(/DNS:([\w.-]+)/g)].map(([, name]) => `${name}`);
}

async function textOf(where: string, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error: unknown) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    throw new RequestError('bad_value', `"${path}" cannot be read`, {
      where,
      found: String(error.code),
    });
  }
}
