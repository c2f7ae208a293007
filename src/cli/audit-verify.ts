import { resolve } from 'node:path';
import { RequestError } from '../kernel/errors.ts';
import { answer, type Command, type Context } from './command.ts';
import { exits } from './exit.ts';
import { iso, plural } from './format.ts';
import { usage } from './parse.ts';

export const command: Command = {
  name: 'audit verify',
  summary:
    'Check the hash chain of every stream, and the chains against the signed heads; or a file of db archive.',
  arguments: { usage: '[file]', min: 0, max: 1 },
  flags: [
    {
      name: 'key',
      kind: 'value',
      value: 'file',
      says: 'of an archive: public key to trust, PEM (the key of this machine)',
    },
  ],
  examples: ['pawl audit verify', 'pawl audit verify archive.jsonl --key pub.pem'],
  run,
};

async function run(context: Context): Promise<number> {
  const [file] = context.given.words;
  if (file !== undefined) return verifyArchive(context, file);
  if (context.given.has('key')) {
    throw usage('audit verify', '--key is about the file of an archive: name it');
  }
  const report = await (await context.client()).audit();
  const { streams, events, erased, archived, heads, cannotProve, problems } = report;
  const isWhole = problems.length === 0;
  const counts = `${plural(streams, 'stream')}, ${plural(events, 'event')}${erased > 0 ? `, ${erased} erased` : ''}${archived > 0 ? `, ${archived} archived` : ''}, ${plural(heads.length, 'signed head')}`;
  const verdict = isWhole
    ? [`✓ chain verified: ${counts}`]
    : [
        `✗ ${plural(problems.length, 'problem')} in ${counts}`,
        ...problems.map(
          ({ stream, version, what }) =>
            `  ${stream}${version === null ? '' : ` version ${version}`}: ${what}`,
        ),
        '  next       keep a copy of the store as it is before anything else writes to it',
      ];
  const lines = [...verdict, ...cannotProve.map((what) => `  not proven  ${what}`)];
  answer(context, lines, { schema: 'pawl.audit/1', ok: isWhole, ...report });
  return isWhole ? exits.done : exits.failed;
}

async function verifyArchive(context: Context, file: string): Promise<number> {
  const { given, options } = context;
  const keyFile = given.text('key');
  const key = keyFile === null ? null : await read(context, keyFile);
  const admin = await options.storeAdmin(null);
  const found = await admin.checkArchive(await read(context, file), key);
  const { stream, name, events, at, problems, cannotProve } = found;
  const isWhole = problems.length === 0;
  const lines = isWhole
    ? [
        `✓ archive verified: ${stream} ${name}, ${plural(events, 'event')}, signed ${iso(at)}`,
        `  not proven  that the run was not another before its end was signed`,
        ...cannotProve.map((what) => `  not proven  ${what}`),
      ]
    : [
        `✗ ${plural(problems.length, 'problem')} in ${file}`,
        ...problems.map(
          ({ version, what }) => `  ${version === null ? '' : `version ${version}: `}${what}`,
        ),
      ];
  answer(context, lines, { schema: 'pawl.audit/1', ok: isWhole, file, ...found, at: iso(at) });
  return isWhole ? exits.done : exits.failed;
}

async function read({ io, directory }: Context, file: string): Promise<string> {
  const path = resolve(directory, file);
  const text = await io.readFile(path);
  if (text !== null) return text;
  throw new RequestError('bad_value', 'that file is not there', { found: path });
}
