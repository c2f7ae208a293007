import { basename, resolve } from 'node:path';
import { RequestError } from '../kernel/errors.ts';
import { answer, type Command, type Context } from './command.ts';
import { exits } from './exit.ts';
import { inputsOf } from './inputs.ts';
import { padTo } from './text.ts';

export const command: Command = {
  name: 'artifact verify',
  summary:
    'Check a receipt file as a stranger would: signature, commit, tree, and with --rerun the check.',
  arguments: { usage: '<file>', min: 1, max: 1 },
  flags: [
    {
      name: 'key',
      kind: 'value',
      value: 'pem',
      says: 'public key to trust (the key of this machine, whose file is then named)',
    },
    {
      name: 'repository',
      kind: 'value',
      value: 'dir',
      says: 'compare commit and tree with this one (here)',
    },
    { name: 'rerun', kind: 'switch', says: 'run the check again in a clean checkout' },
  ],
  examples: [
    'pawl show 7k2m --receipt --json > r.json && pawl artifact verify r.json --key pub.pem',
  ],
  run,
};

async function run(context: Context): Promise<number> {
  const { given } = context;
  const [path = ''] = given.words;
  const receipt = await read(context, path);
  const keyPath = given.text('key');
  const report = await context.options.verifyReceipt({
    receipt,
    key: keyPath === null ? null : await read(context, keyPath, keyMissing),
    repository: await repositoryOf(context),
    rerun: given.has('rerun'),
  });
  const signs = { ok: '✓', fail: '✗', skipped: '–' } as const;
  const lines = report.checks.map(
    ({ name, state, detail }) => `${signs[state]} ${padTo(name, 12)} ${detail}`,
  );
  const isRerunMissing = report.checks.some(
    ({ name, state }) => name === 'rerun' && state === 'skipped' && given.has('rerun'),
  );
  if (isRerunMissing) {
    lines.push(
      '',
      `not done: the check did not run again → in a clone, or with --repository <dir>`,
    );
  }
  const handed = report.ok && report.publicKey !== null ? handOut(path, report.publicKey) : [];
  answer(context, [...lines, ...handed], { schema: 'pawl.attestation/1', ...report });
  return report.ok ? exits.done : exits.failed;
}

function handOut(receipt: string, publicKey: string): string[] {
  return [
    '',
    `a stranger needs ${receipt} and ${publicKey}, and types in a clone of the repository:`,
    `  pawl artifact verify ${basename(receipt)} --key ${basename(publicKey)} --rerun`,
  ];
}

const receiptMissing = 'pawl show <run> --receipt --json > r.json';
const keyMissing = 'where it was signed, pawl artifact verify <file> names its public key';

async function read(context: Context, path: string, next = receiptMissing): Promise<string> {
  const text = await inputsOf(context).file(path);
  if (text !== null) return text;
  throw new RequestError('bad_value', `there is no file ${path}`, {
    next,
  });
}

/** Null where there is no git: then only the signature can be checked. */
async function repositoryOf(context: Context): Promise<string | null> {
  const named = context.given.text('repository');
  const workspace = await context.workspace();
  const checkout = await workspace.inspect(
    named === null ? context.directory : resolve(context.directory, named),
  );
  if (checkout.git) return checkout.root;
  if (named === null) return null;
  throw new RequestError('not_git', `${named} is not a git repository`, {
    next: '--repository <dir>',
  });
}
