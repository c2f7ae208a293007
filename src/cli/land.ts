import { RequestError } from '../kernel/errors.ts';
import type { LandOptions, RunView } from '../ports/client.ts';
import type { Landing } from '../ports/workspace.ts';
import { canAsk, choose } from './ask.ts';
import { answer, type Command, type Context } from './command.ts';
import { exits } from './exit.ts';
import { plural, short, words } from './format.ts';
import { asItIs, wrongVerb } from './next.ts';
import type { Arguments } from './parse.ts';
import { clean } from './text.ts';
import { runJson } from './wire.ts';

export const command: Command = {
  name: 'land',
  summary: 'Bring a complete run to a branch; what will lie there is verified again first.',
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
      says: 'push the branch and open a draft pull request; asks first, or takes --yes',
    },
    { name: 'keep', kind: 'switch', says: 'prune leaves the worktree and the branch' },
  ],
  examples: ['pawl land 7k2m', 'pawl land 7k2m --into release --merge', 'pawl land 7k2m --pr'],
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
  if (view.branch === null) {
    throw new RequestError(
      'land_refused',
      `${view.short} worked in the folder itself, where its work lies: there is no branch to land`,
      { next: `${called} diff ${view.short}` },
    );
  }
  const client = await context.client();
  const definition = await client.definition(view.id);
  const options = optionsOf(given, definition.land);
  if (options.method === 'pr') await askForPush(context, view, options);
  const landing = await client.land(view.id, options, principal);
  return landing.ok ? landed(context, view, landing) : refused(context, view, landing);
}

function optionsOf(
  given: Arguments,
  policy: { readonly method: LandOptions['method']; readonly reverify: boolean },
): LandOptions {
  const methods = (['squash', 'merge', 'ff', 'pr'] as const).filter((method) => given.has(method));
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
    keep: given.has('keep'),
  };
}

/** Nothing leaves this machine before somebody has read what would, and said yes. */
async function askForPush(context: Context, view: RunView, { into }: LandOptions): Promise<void> {
  const { called } = context;
  const target = into ?? view.baseBranch ?? '';
  const remote = await (await context.workspace()).remote(view.project, target);
  if (remote === null) {
    throw new RequestError('land_refused', 'there is no remote that a branch could be pushed to', {
      next: `git remote add origin <url>   or  ${called} land ${view.short}`,
    });
  }
  const what = `${view.branch ?? ''} at ${short(view.head)} to ${remote.name} (${remote.url})`;
  const lines = [`will push  ${what}`, `and open   a draft pull request into ${target}`];
  if (context.given.has('yes')) return context.note(lines);
  if (!canAsk(context)) {
    throw new RequestError('no_answer', 'nothing was pushed: --pr pushes only when it is told to', {
      found: `it would push ${what}`,
      next: `${called} land ${view.short} --pr --yes`,
    });
  }
  context.print(lines);
  const answer = await choose(context, 'Push it?', { y: 'yes', n: 'no' });
  if (answer === 'y') return;
  throw new RequestError('no_answer', 'nothing was pushed', {
    next: `${called} land ${view.short}`,
  });
}

function proposed(
  context: Context,
  view: RunView,
  { into, commit, reverified, proposal }: Extract<Landing, { ok: true }>,
): number {
  const { url = null, why = null, command = '', remote = '' } = proposal ?? {};
  const opened =
    url === null
      ? [`  not opened ${why ?? ''}`, `  next       ${command}`]
      : [`  next       ${url}`];
  answer(
    context,
    [
      `✓ pushed     ${view.branch ?? ''} at ${short(commit)} to ${remote}; ${into} was not touched`,
      `  merged     ${reverified ? `the result of merging into ${into} was verified` : 'not verified again'}`,
      ...(url === null ? [] : ['  opened     a draft pull request with the receipt in its text']),
      ...opened,
    ],
    {
      ...runJson(view),
      pr: { url, into, remote, command: url === null ? command : null, reverified },
    },
  );
  return exits.done;
}

function landed(context: Context, view: RunView, landing: Extract<Landing, { ok: true }>): number {
  if (landing.method === 'pr') return proposed(context, view, landing);
  const moved = landing.moved === 0 ? '' : ` (it had moved ${plural(landing.moved, 'commit')})`;
  const verified = landing.reverified
    ? 'verified again on the merged result'
    : 'not verified again';
  const { commit, into, method, reverified, submodules = [] } = landing;
  answer(
    context,
    [
      `✓ landed     ${view.name} ${view.short} on ${into} as ${short(commit)}, ${method}${moved}`,
      `  ${verified}; nothing was pushed`,
      ...submoduleLines(landing),
      `  next       git push   ·   ${context.called} prune`,
    ],
    { ...runJson(view), landed: { commit, into, method, reverified, submodules } },
  );
  return exits.done;
}

/** Their commits lie in the submodules' repositories here; git follows the link when told to. */
function submoduleLines({ submodules = [] }: Extract<Landing, { ok: true }>): string[] {
  if (submodules.length === 0) return [];
  const named = submodules.map(clean).join(', ');
  return [`  submodules moved: ${named}; git submodule update --init brings them here`];
}

function refused(context: Context, view: RunView, landing: Extract<Landing, { ok: false }>): never {
  const { reason, moved } = landing;
  const into = context.given.text('into') ?? view.baseBranch ?? 'the branch';
  const target = moved === 0 ? '' : `${into} moved ${plural(moved, 'commit')}; `;
  const next = {
    conflict: `${context.called} retry ${view.short} --base ${into}`,
    check_failed:
      view.verification === 'overridden'
        ? `${context.called} land ${view.short}${asItIs(view)}`
        : `${context.called} retry ${view.short} --base ${into}`,
    dirty_target: `${clearing[landing.hindrance ?? 'changed']}, then  ${context.called} land ${view.short}`,
    target_missing: `${context.called} land ${view.short} --into <branch>`,
    target_moved_again: `${context.called} land ${view.short}`,
    not_ff: `${context.called} land ${view.short} --merge`,
  }[reason];
  throw new RequestError(
    'land_refused',
    `${target}${whyNot(landing, into)}. Nothing was changed.`,
    { next, facts: { reason, moved, run: view.id } },
  );
}

/** Neither a commit nor a stash takes along what git ignores. */
const clearing = {
  changed: 'commit or stash what is changed there',
  unfinished: 'finish or abort what is unfinished there',
  in_the_way: 'move or remove what lies there (git ignores it or does not track it)',
} as const;

/** How many commits the target has moved stands before it. */
function whyNot(landing: Extract<Landing, { ok: false }>, into: string): string {
  const { reason, detail, moved, hindrance } = landing;
  switch (reason) {
    case 'check_failed':
      return `${moved === 0 ? 'the' : 'merged'} result fails ${failedCheck(detail)}`;
    case 'not_ff':
      return `${into} cannot be moved to it without a merge`;
    case 'conflict':
      return `merging conflicts in ${listed(detail)}`;
    case 'dirty_target':
      return `${hindrance === 'in_the_way' ? 'in the way' : 'dirty target'}: ${listed(detail)}`;
    default:
      return `${words(reason)}: ${detail}`;
  }
}

const listed = (paths: string): string => paths.split('\n').map(clean).join(', ');

/** `npm test exit 1 · 1 failed, 119 passed` → `npm test (1 failed)`. */
function failedCheck(summary: string): string {
  const told = /^(.+?) (exit \d+)(?: · (\d+ failed)\b)?/.exec(summary);
  return told === null ? clean(summary) : `${clean(told[1] ?? '')} (${told[3] ?? told[2]})`;
}
