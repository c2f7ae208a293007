/**
 * `pawl artifact get`: the bytes of an artifact by digest, wherever the store keeps them. They are
 * hashed here before anything is written; a file appears whole or not at all.
 */
import { createHash, randomBytes } from 'node:crypto';
import { link, rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { RequestError, WorldError } from '../kernel/errors.ts';
import type { Digest } from '../ports/words.ts';
import { answer, type Command, type Context } from './command.ts';
import { exits } from './exit.ts';

export const command: Command = {
  name: 'artifact get',
  summary: 'Fetch an artifact by its digest: an archive, a receipt, an output, a log.',
  arguments: { usage: '<sha256:…>', min: 1, max: 1 },
  flags: [
    {
      name: 'out',
      kind: 'value',
      value: 'file',
      says: 'write it there, to a file that does not exist yet (without it: text, to stdout)',
    },
  ],
  examples: ['pawl artifact get sha256:9c1e… --out archive.jsonl'],
  run,
};

const form = /^sha256:[0-9a-f]{64}$/;

async function run(context: Context): Promise<number> {
  const [asked = ''] = context.given.words;
  if (!form.test(asked)) {
    throw new RequestError('bad_value', `"${asked}" is no digest of an artifact`, {
      allowed: 'sha256: and 64 digits of 0–9 and a–f',
      next: 'pawl show <run> --json   ·   pawl db archive',
    });
  }
  const bytes = await bytesOf(context, asked as Digest);
  const out = context.given.text('out');
  if (out === null) return print(context, asked, bytes);
  const file = resolve(context.directory, out);
  await writeNew(file, bytes);
  const told = { schema: 'pawl.artifact/1', digest: asked, bytes: bytes.length, file };
  answer(context, [`${asked} · ${bytes.length} bytes → ${out}`], told);
  return exits.done;
}

async function bytesOf(context: Context, digest: Digest): Promise<Uint8Array> {
  const bytes = await (await context.client()).artifact(digest);
  if (bytes === null) {
    throw new RequestError('artifact_missing', `${digest} is not in this store`, {
      next: 'where it was made: pawl artifact get, with its --server or PAWL_DATABASE',
    });
  }
  const found = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  if (found === digest) return bytes;
  throw new WorldError('artifact_damaged', `what the store has as ${digest} is something else`, {
    found,
    next: 'pawl doctor',
  });
}

function print(context: Context, digest: string, bytes: Uint8Array): number {
  const text = textOf(bytes);
  if (text === null) {
    throw new RequestError('usage', `${digest} is not text`, { next: '--out <file>' });
  }
  if (context.isJson) {
    context.json({ schema: 'pawl.artifact/1', digest, bytes: bytes.length, text });
  } else context.io.stdout.write(text);
  return exits.done;
}

function textOf(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error: unknown) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

/** Written aside, then given its name, which fails where there is something of that name. */
async function writeNew(file: string, bytes: Uint8Array): Promise<void> {
  const aside = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    await writeFile(aside, bytes, { flag: 'wx' });
    await link(aside, file);
  } catch (error: unknown) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : null;
    if (code === null) throw error;
    const why = code === 'EEXIST' ? 'that file is there already' : 'it cannot be written there';
    throw new RequestError('bad_value', why, {
      where: '--out',
      found: code === 'EEXIST' ? file : `${code}: ${file}`,
      next: '--out <a file that does not exist yet>',
    });
  } finally {
    await rm(aside, { force: true });
  }
}
