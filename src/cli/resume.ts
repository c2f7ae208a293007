/** `pawl resume`: lifts a pause or a park, with what the reason needs (DESIGN §13). */
import { attemptsMost } from '../kernel/brake-bounds.ts';
import { RequestError } from '../kernel/errors.ts';
import type { ResumeRequest, RunView } from '../ports/client.ts';
import type { Commit } from '../ports/words.ts';
import type { Command, Context } from './command.ts';
import { wrongVerb } from './next.ts';
import type { Arguments } from './parse.ts';
import { report } from './report.ts';
import { checkOptions } from './resume-options.ts';

export const command: Command = {
  name: 'resume',
  summary: 'Go on with a paused or parked run, with a grant where its reason needs one.',
  arguments: { usage: '<run>', min: 1, max: 1 },
  flags: [
    { name: 'attempts', kind: 'value', value: '+n', says: 'grant further attempts' },
    { name: 'cost', kind: 'value', value: '+usd', says: 'grant further money' },
    { name: 'tokens', kind: 'value', value: '+n', says: 'grant further tokens' },
    { name: 'time', kind: 'value', value: '+span', says: 'grant further active time' },
    { name: 'steps', kind: 'value', value: '+n', says: 'grant further steps (plan runs)' },
    { name: 'hint', kind: 'value', value: 'text', says: 'add context for the next turn' },
    { name: 'from-attempt', kind: 'value', value: 'n', says: 'go on from what this attempt left' },
    {
      name: 'verify-now',
      kind: 'switch',
      says: 'run the criteria on the worktree as it is, without an attempt',
    },
    {
      name: 'restore',
      kind: 'switch',
      says: 'put the named paths back to base (drift, protected)',
    },
    {
      name: 'allow',
      kind: 'list',
      value: 'path',
      says: 'accept the change of this path (drift, protected)',
    },
    { name: 'happened', kind: 'switch', says: 'the effect of unknown outcome did happen' },
    {
      name: 'did-not-happen',
      kind: 'switch',
      says: 'the effect of unknown outcome did not happen',
    },
    {
      name: 'fresh',
      kind: 'switch',
      says: 'new tree from the last snapshot, setup again, new conversation',
    },
    { name: 'now', kind: 'switch', says: 'skip a wait' },
    {
      name: 'on',
      kind: 'value',
      value: 'worker',
      says: 'on this worker and no other (worker list names them)',
    },
  ],
  examples: ['pawl resume p0ne --attempts +3', 'pawl resume p0ne --verify-now'],
  run,
};

async function run(context: Context): Promise<number> {
  const { given, called } = context;
  const view = await context.find(given.words[0] ?? '');
  const request = requestOf(given);
  const principal = await context.human('resume', view, lineOf(context, view));
  if (!isResumable(view, request)) throw wrongVerb(view, 'paused or parked', called);
  checkOptions({ view, request, verifyNow: given.has('verify-now'), called });
  const verifyNow = given.has('verify-now')
    ? { commit: await worktreeCommit(context, view) }
    : null;
  const client = await context.client();
  const resumed = await client.resume(view.id, { ...request, verifyNow }, principal);
  await client.ensureDriver();
  const there = request.on == null ? 'resumed' : `resumed, on ${request.on}`;
  return report(context, resumed, {
    line: verifyNow === null ? there : 'verifying the worktree as it is',
    fields: { granted: resumed.granted },
  });
}

function isResumable(view: RunView, request: ResumeRequest): boolean {
  if (view.status === 'paused') return true;
  if (view.status === 'needs_operator') return view.reason !== 'blocked_by_question';
  return view.status === 'active' && view.phase === 'waiting' && request.now;
}

function requestOf(given: Arguments): ResumeRequest {
  const happened = given.has('happened');
  if (happened && given.has('did-not-happen')) {
    throw new RequestError('usage', '--happened and --did-not-happen are both given', {
      next: 'keep one of the two',
    });
  }
  const grants = {
    attempts: given.whole('attempts', 1, attemptsMost),
    costUsd: given.decimal('cost'),
    tokens: given.whole('tokens', 1),
    steps: given.whole('steps', 1),
    timeMs: given.durationMs('time'),
  };
  const on = given.text('on');
  const hint = given.text('hint');
  if (hint?.trim() === '') {
    throw new RequestError('note_missing', 'the hint is empty', {
      next: `pawl resume ${given.words[0] ?? '<run>'} --hint "…"`,
    });
  }
  return {
    grants: Object.fromEntries(Object.entries(grants).filter(([, value]) => value !== null)),
    hint,
    verifyNow: null,
    restore: given.has('restore'),
    allow: given.list('allow'),
    happened: happened ? true : given.has('did-not-happen') ? false : null,
    fresh: given.has('fresh'),
    now: given.has('now'),
    fromAttempt: given.whole('from-attempt', 1),
    ...(on === null ? {} : { on }),
  };
}

/** The line as it was typed, with the short id: what the operator is asked to type. */
function lineOf(context: Context, view: RunView): string {
  const words = context.options.argv.filter((word) => word !== '--json').slice(1);
  const reference = context.given.words[0];
  const typed = words.map((word) =>
    word === reference ? view.short : /[\s"]/.test(word) ? JSON.stringify(word) : word,
  );
  return `${context.called} resume ${typed.join(' ')}`;
}

/** A commit of the worktree as it lies there now, so that what is judged is what is recorded. */
async function worktreeCommit(context: Context, view: RunView): Promise<Commit> {
  if (view.branch === null) {
    throw new RequestError(
      'not_git',
      `${view.short} has no branch, so its tree cannot be recorded`,
      {
        next: `pawl resume ${view.short}`,
      },
    );
  }
  const workspace = await context.workspace();
  const directory = await workspace.locate(view.project, view.branch);
  if (directory === null) {
    if (view.head !== null) return view.head;
    throw new RequestError('no_worktree', `${view.short} has no worktree and no recorded work`, {
      next: `pawl resume ${view.short} --fresh`,
    });
  }
  const tree = {
    directory,
    root: view.project,
    branch: view.branch,
    base: view.base,
    created: false,
    isolation: 'worktree',
  } as const;
  const { commit } = await workspace.snapshot(
    tree,
    `${view.name}: as it was at resume --verify-now`,
  );
  const judged = commit ?? view.head ?? view.base;
  if (judged !== null) return judged;
  throw new RequestError('no_worktree', `${view.short} has nothing to verify`, {
    next: `pawl show ${view.short}`,
  });
}
