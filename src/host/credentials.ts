/**
 * CredentialRefs, resolved in the host and nowhere else (DESIGN §6): `env:NAME`, `file:PATH`,
 * `command:ARGV`. Values go into the lane's environment and to redaction; never to argv, disk or
 * logs.
 */
import { execFile } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { splitArgv } from '../kernel/argv.ts';
import { WorldError } from '../kernel/errors.ts';
import { ownSecrets } from '../kernel/own-secrets.ts';
import { notSetHere } from '../kernel/starter-environment.ts';

const valueBytesMax = 64 * 1024;
const commandMsMax = 30_000;

/** @throws WorldError `credential_missing` naming the reference, never a value. */
export async function resolveCredentials(
  references: Readonly<Record<string, string>>,
  host: Readonly<Record<string, string | undefined>>,
): Promise<Readonly<Record<string, string>>> {
  const entries = await Promise.all(
    Object.entries(references).map(async ([name, reference]) => {
      const value = await resolve(name, reference, host);
      return [name, value] as const;
    }),
  );
  return Object.fromEntries(entries);
}

async function resolve(
  name: string,
  reference: string,
  host: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const [scheme, rest] = splitOnce(reference);
  const value = await lookUp(scheme, rest, host);
  if ('why' in value) {
    throw new WorldError('credential_missing', `the secret ${name} cannot be had`, {
      where: `secrets.${name}`,
      found: `${scheme}: ${value.why}`,
    });
  }
  return value.text;
}

type Resolved = { readonly text: string } | { readonly why: string };

async function lookUp(
  scheme: string,
  rest: string,
  host: Readonly<Record<string, string | undefined>>,
): Promise<Resolved> {
  switch (scheme) {
    case 'env': {
      if (ownSecrets.includes(rest)) return { why: `${rest} is pawl's own, and for no lane` };
      const text = host[rest];
      return text === undefined || text === '' ? { why: `${rest} ${notSetHere}` } : { text };
    }
    case 'file':
      return fromFile(rest);
    case 'command':
      return fromCommand(rest, host);
    default:
      return { why: 'not one of env:, file:, command:' };
  }
}

async function fromFile(path: string): Promise<Resolved> {
  try {
    const found = await stat(path);
    if (!found.isFile()) return { why: `${path} is not a file` };
    if (found.size > valueBytesMax) return { why: `${path} is larger than 64 KB` };
    return notEmpty(await readFile(path, 'utf8'), path);
  } catch (error: unknown) {
    return { why: `${path}: ${(error as NodeJS.ErrnoException).code ?? 'unreadable'}` };
  }
}

function fromCommand(
  line: string,
  host: Readonly<Record<string, string | undefined>>,
): Promise<Resolved> {
  const argv = splitArgv(line);
  if (!argv.ok) return Promise.resolve({ why: argv.error.code });
  const [program = '', ...args] = argv.value;
  const options = {
    encoding: 'utf8',
    timeout: commandMsMax,
    killSignal: 'SIGKILL',
    maxBuffer: valueBytesMax,
    env: Object.fromEntries(Object.entries(host).filter(([name]) => !ownSecrets.includes(name))),
  } as const;
  return new Promise((done) => {
    // What the command printed may be a part of the secret, so a failure tells its code alone.
    execFile(program, args, options, (error, stdout) => {
      if (error === null) done(notEmpty(stdout, program));
      else done({ why: `${program} failed (${error.code ?? error.signal ?? 'killed'})` });
    });
  });
}

function notEmpty(text: string, from: string): Resolved {
  const trimmed = text.replace(/\r?\n$/, '');
  return trimmed === '' ? { why: `${from} gave nothing` } : { text: trimmed };
}

function splitOnce(reference: string): readonly [string, string] {
  const at = reference.indexOf(':');
  return at < 0 ? ['', reference] : [reference.slice(0, at), reference.slice(at + 1)];
}
