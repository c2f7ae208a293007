import { RequestError } from '../kernel/errors.ts';
import type { LandOptions, RunView } from '../ports/client.ts';
import type { Landing } from '../ports/workspace.ts';
import { answer, type Command, type Context } from './command.ts';
import { exits } from './exit.ts';
import { plural, short, words } from './format.ts';
import { asItIs, wrongVerb } from './next.ts';
import type { Arguments } from './parse.ts';
import { runJson } from './wire.ts';

export const command: Command = {
  name: 'land',
  summary: 'Bring a complete run to a branch; verified again when the branch has moved.',
  arguments: { usage: '<run>', min: 1, max: 1 },
  flags: [
    {
      name: 'into',
      kind: 'value',
      value: 'branch',
      says: 'the branch (the one that the base was taken from)',
    },
    { name: 'squash', kind: 'switch', says: 'as one commit (default)' },
    { name: 'merge', kind: 'switch', says: 'as a merge commit' },
    { name: 'ff', kind: 'switch', says: 'only by moving the branch forward' },
    { name: 'message', short: 'm', kind: 'value', value: 'text', says: 'message of the commit' },
    {
      name: 'no-reverify',
      kind: 'switch',
      says: 'do not run the criteria on the merged result; recorded',
    },
    {
      name: 'pr',
      kind: 'switch',
      says: 'open a pull request instead',
      later: 'it comes with the next change',
    },
    {
      name: 'keep',
      kind: 'switch',
      says: 'keep worktree and branch',
      later: 'it comes with the next change',
    },
  ],
  examples: ['pawl land 7k2m', 'pawl land 7k2m --into release --merge'],
  run,
};

async function run(context: Context): Promise<number> {
  const { given, called } = context;
  const view = await context.find(given.words[0] ?? '');
  const principal = await context.human('land', view, `${called} land ${view.short}`);
  if (view.status !== 'complete') throw wrongVerb(view, 'complete', called);
  if (view.landed !== null) {
    throw new RequestError(
      'wrong_verb',
      `${view.short} has landed on ${view.landed.into} as ${short(view.landed.commit)}`,
      {
        next: `${called} show ${view.short}`,
      },
    );
  }
  if (view.head === null) {
    throw new RequestError('land_refused', `${view.short} recorded no work that could land`, {
      next: `${called} show ${view.short}`,
    });
  }
  const client = await context.client();
  const definition = await client.definition(view.id);
  const landing = await client.land(view.id, optionsOf(given, definition.land), principal);
  return landing.ok ? landed(context, view, landing) : refused(context, view, landing);
}

function optionsOf(
  given: Arguments,
  policy: { readonly method: LandOptions['method']; readonly reverify: boolean },
): LandOptions {
  const methods = (['squash', 'merge', 'ff'] as const).filter((method) => given.has(method));
  if (methods.length > 1) {
    throw new RequestError('usage', `--${methods.join(' and --')} are both given`, {
      next: 'keep one of them',
    });
  }
  return {
    into: given.text('into'),
    method: methods[0] ?? policy.method,
    message: given.text('message'),
    reverify: policy.reverify && !given.has('no-reverify'),
  };
}

function landed(context: Context, view: RunView, landing: Extract<Landing, { ok: true }>): number {
  const moved = landing.moved === 0 ? '' : ` (it had moved ${plural(landing.moved, 'commit')})`;
  const verified = landing.reverified
    ? 'verified again on the merged result'
    : 'not verified again';
  const { commit, into, method, reverified } = landing;
  answer(
    context,
    [
      `✓ landed     ${view.name} ${view.short} on ${into} as ${short(commit)}, ${method}${moved}`,
      `  ${verified}; nothing was pushed`,
      `  next       git push   ·   ${context.called} prune`,
    ],
    { ...runJson(view), landed: { commit, into, method, reverified } },
  );
  return exits.done;
}

function refused(context: Context, view: RunView, landing: Extract<Landing, { ok: false }>): never {
  const { reason, detail, moved } = landing;
  const into = context.given.text('into') ?? view.baseBranch ?? 'the branch';
  const target = moved === 0 ? '' : `${into} moved ${plural(moved, 'commit')}; `;
  const next = {
    conflict: `${context.called} retry ${view.short} --base ${into}`,
    check_failed:
      view.verification === 'overridden'
        ? `${context.called} land ${view.short}${asItIs(view)}`
        : `${context.called} retry ${view.short} --base ${into}`,
    dirty_target: 'commit or stash what is changed there, and land again',
    target_missing: `${context.called} land ${view.short} --into <branch>`,
    target_moved_again: `${context.called} land ${view.short}`,
    not_ff: `${context.called} land ${view.short} --merge`,
  }[reason];
  throw new RequestError(
    'land_refused',
    `${target}${words(reason)}: ${detail}. Nothing was changed`,
    {
      next,
      facts: { reason, moved, run: view.id },
    },
  );
}
