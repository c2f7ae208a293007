import { answer, type Command, type Context } from './command.ts';
import { exits } from './exit.ts';
import { plural } from './format.ts';

export const command: Command = {
  name: 'audit verify',
  summary: 'Check the hash chain of every stream, and the chains against the signed heads.',
  arguments: { usage: '', min: 0, max: 0 },
  flags: [],
  examples: ['pawl audit verify'],
  run,
};

async function run(context: Context): Promise<number> {
  const report = await (await context.client()).audit();
  const { streams, events, erased, heads, cannotProve, problems } = report;
  const isWhole = problems.length === 0;
  const counts = `${plural(streams, 'stream')}, ${plural(events, 'event')}${erased > 0 ? `, ${erased} erased` : ''}, ${plural(heads.length, 'signed head')}`;
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
