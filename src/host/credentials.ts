/**
 * CredentialRefs, resolved in the host and nowhere else (DESIGN §6): `env:NAME`, `file:PATH`,
 * `command:ARGV`. Values go into the lane's environment and to redaction; never to argv, disk or
 * logs.
 */
import { type ExecFileException, execFile } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { splitArgv } from '../kernel/argv.ts';
import { WorldError } from '../kernel/errors.ts';
import { ownSecrets } from '../kernel/own-secrets.ts';
import { notSetAtServer, notSetHere } from '../kernel/starter-environment.ts';
import { secretMsMax } from '../ports/plane.ts';

const valueBytesMax = 64 * 1024;

type Environment = Readonly<Record<string, string | undefined>>;

/** Where references are read, for whoever has to put there what is missing. */
export interface ReadingPlace {
  readonly machine: string;
  /** A server reads them for a host elsewhere. */
  readonly isServer?: boolean;
  /** Longest that a command may take. */
  readonly commandMs?: number;
}

/**
 * @throws WorldError `credential_missing` naming the reference and where it was read, never a
 * value: of a command its program alone.
 */
export async function resolveCredentials(
  references: Readonly<Record<string, string>>,
  host: Environment,
  place: ReadingPlace,
): Promise<Readonly<Record<string, string>>> {
  const entries = await Promise.all(
    Object.entries(references).map(async ([name, reference]) => {
      const value = await lookUp(reference, host, place);
      if ('text' in value) return [name, value.text] as const;
      const where = `${place.isServer === true ? 'the server ' : ''}${place.machine}`;
      throw new WorldError('credential_missing', `the secret ${name} cannot be had`, {
        where: `secrets.${name}`,
        found: `${shown(reference)} on ${where}: ${value.why}`,
      });
    }),
  );
  return Object.fromEntries(entries);
}

/** The arguments of a command, and what is no reference at all, may be the secret itself. */
function shown(reference: string): string {
  const [scheme, rest] = splitOnce(reference);
  if (scheme === 'env' || scheme === 'file') return reference;
  if (scheme !== 'command') return 'no reference';
  const argv = splitArgv(rest);
  return `command:${argv.ok ? (argv.value[0] ?? '') : ''}`;
}

type Resolved = { readonly text: string } | { readonly why: string };

async function lookUp(
  reference: string,
  host: Environment,
  { isServer = false, commandMs = secretMsMax }: ReadingPlace,
): Promise<Resolved> {
  const [scheme, rest] = splitOnce(reference);
  switch (scheme) {
    case 'env': {
      if (ownSecrets.includes(rest)) return { why: `${rest} is pawl's own, and for no lane` };
      const text = host[rest];
      if (text !== undefined && text !== '') return { text };
      return { why: `${rest} ${isServer ? notSetAtServer : notSetHere}` };
    }
    case 'file':
      return fromFile(rest);
    case 'command':
      return fromCommand(rest, host, commandMs);
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

function fromCommand(line: string, host: Environment, commandMs: number): Promise<Resolved> {
  const argv = splitArgv(line);
  if (!argv.ok) return Promise.resolve({ why: argv.error.code });
  const [program = '', ...args] = argv.value;
  const options = {
    encoding: 'utf8',
    timeout: commandMs,
    killSignal: 'SIGKILL',
    maxBuffer: valueBytesMax,
    env: Object.fromEntries(Object.entries(host).filter(([name]) => !ownSecrets.includes(name))),
  } as const;
  return new Promise((done) => {
    // What the command printed may be a part of the secret, so a failure tells its code alone.
    execFile(program, args, options, (error, stdout) => {
      if (error === null) done(notEmpty(stdout, program));
      else done({ why: `${program} ${failureOf(error, commandMs)}` });
    });
  });
}

function failureOf({ code, signal, killed }: ExecFileException, commandMs: number): string {
  const isLate = killed === true && (code === undefined || code === null);
  if (isLate) return `gave nothing within ${commandMs / 1000} s, and was ended`;
  return `failed (${code ?? signal ?? 'killed'})`;
}

function notEmpty(text: string, from: string): Resolved {
  const trimmed = text.replace(/\r?\n$/, '');
  return trimmed === '' ? { why: `${from} gave nothing` } : { text: trimmed };
}

function splitOnce(reference: string): readonly [string, string] {
  const at = reference.indexOf(':');
  return at < 0 ? ['', reference] : [reference.slice(0, at), reference.slice(at + 1)];
}
