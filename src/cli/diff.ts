/** `pawl diff`: what changed, against the base, the previous attempt, or the branch to land on. */
import picomatch from 'picomatch';
import { RequestError } from '../kernel/errors.ts';
import { quotePath } from '../kernel/text.ts';
import type { RunView } from '../ports/client.ts';
import type { Commit, Definition } from '../ports/words.ts';
import type { ChangedFile } from '../ports/workspace.ts';
import { answer, type Command, type Context } from './command.ts';
import { fromGit } from './ending.ts';
import { exits } from './exit.ts';
import { short } from './format.ts';
import { inTerminal } from './in-terminal.ts';
import { clean } from './text.ts';
import { unrecorded } from './unrecorded.ts';
import { changedWords } from './views/final.ts';
import { table } from './views/page.ts';

export const command: Command = {
  name: 'diff',
  summary: 'What a run changed.',
  arguments: { usage: '<run>', min: 1, max: 1 },
  flags: [
    { name: 'stat', kind: 'switch', says: 'files and counts only' },
    { name: 'attempt', kind: 'value', value: 'n', says: 'as this attempt left it (the newest)' },
    {
      name: 'against',
      kind: 'value',
      value: 'what',
      says: 'compare with (base)',
      oneOf: ['base', 'previous', 'target'],
    },
    { name: 'tool', kind: 'switch', says: 'show it in the tool that git difftool is set to' },
  ],
  examples: ['pawl diff 7k2m --stat', 'pawl diff p0ne --attempt 4 --against previous'],
  run,
};

const patchBytesMax = 4 * 1024 * 1024;

async function run(context: Context): Promise<number> {
  const { given } = context;
  const view = await context.find(given.words[0] ?? '');
  const client = await context.client();
  const workspace = await context.workspace();
  const definition = await client.definition(view.id);
  const n = given.whole('attempt', 1);
  if (n === null && view.head === null) return nothingYet(context, view);
  const to = headOf(view, n);
  const from = await fromOf(context, view);
  await mustBeThere(context, view, to);
  if (given.has('tool')) return openTool(context, view, [from, to]);
  const files = await workspace.changedFiles(view.project, from, to);
  const isStat = given.has('stat');
  const patch = isStat ? null : await workspace.patch(view.project, from, to, patchBytesMax);
  answer(context, isStat ? statLines(files, definition, context) : patchLines(patch ?? ''), {
    schema: 'pawl.diff/1',
    run: view.id,
    from,
    to,
    files: files.map((file) => ({ ...file, ...marksOf(file.path, definition) })),
    patch,
  });
  return exits.done;
}

/** The tool has the terminal until it ends. */
async function openTool(
  context: Context,
  { project }: RunView,
  commits: readonly Commit[],
): Promise<number> {
  const { io, isJson } = context;
  if (!io.stdinIsTerminal || !io.stdout.isTerminal || isJson) {
    throw new RequestError('usage', '--tool needs a terminal, and goes with no --json', {
      next: `${context.called} diff ${context.given.words[0] ?? ''} --stat`,
    });
  }
  const argv = ['git', 'difftool', '--dir-diff', ...commits];
  const code = await inTerminal(argv, project);
  if (code === 0) return exits.done;
  throw new RequestError('git_failed', `git difftool ended with ${code ?? 'a signal'}`, {
    next: 'git config --global diff.tool <name>   ·   git difftool --tool-help',
  });
}

/** Looking is never an error, and the pages of a run lead here. */
async function nothingYet(context: Context, view: RunView): Promise<number> {
  const kept = await fromGit(context, ({ keptRefs }) => keptRefs(view.project, view.id));
  const { work, what, next, ref } = unrecorded(view, kept ?? [], context.called);
  answer(context, [what, `  next      ${next}`], {
    schema: 'pawl.diff/1',
    run: view.id,
    from: view.base,
    to: null,
    work,
    ref,
    next,
    files: [],
    patch: context.given.has('stat') ? null : '',
  });
  return exits.done;
}

/** Branches are removed and repositories moved: what is gone is said, and not called no change. */
async function mustBeThere(context: Context, view: RunView, commit: Commit): Promise<void> {
  const { project } = view;
  const tree = await fromGit(context, (workspace) => workspace.treeOf(project, commit));
  if (tree !== null) return;
  const kept = await fromGit(context, ({ keptRefs }) => keptRefs(project, view.id));
  const refs = (kept ?? []).map(({ ref }) => ref);
  throw new RequestError(
    'workspace_lost',
    `${short(commit)} of ${view.short} is not in ${project}`,
    {
      found:
        refs.length === 0 ? 'nothing of it is kept under a ref' : `kept refs: ${refs.join(', ')}`,
      next:
        refs[0] === undefined
          ? `${context.called} show ${view.short}   ·   git -C ${project} fsck --lost-found`
          : `git -C ${project} branch rescued ${refs[0]}`,
    },
  );
}

function headOf(view: RunView, n: number | null): Commit {
  if (n === null && view.head !== null) return view.head;
  const commit = view.attempts.find((attempt) => attempt.n === n)?.commit ?? null;
  if (commit !== null) return commit;
  const known = view.attempts
    .filter((attempt) => attempt.commit !== null)
    .map((attempt) => attempt.n);
  throw new RequestError('bad_value', `attempt ${n} of ${view.short} has no recorded commit`, {
    ...(known.length === 0 ? {} : { allowed: `attempts ${known.join(', ')}` }),
    next: `pawl show ${view.short}`,
  });
}

async function fromOf(context: Context, view: RunView): Promise<Commit> {
  const { given } = context;
  const against = given.text('against') ?? 'base';
  const n = given.whole('attempt', 1) ?? view.attempts.at(-1)?.n ?? 1;
  const before =
    view.attempts.findLast((attempt) => attempt.n < n && attempt.commit !== null)?.commit ?? null;
  if (against === 'previous' && before !== null) return before;
  if (against === 'target' && view.baseBranch !== null) {
    const target = await (await context.workspace()).resolve(view.project, view.baseBranch);
    if (target !== null) return target;
  }
  if (against !== 'target' && view.base !== null) return view.base;
  throw new RequestError('not_git', `there is nothing to compare ${view.short} with (${against})`, {
    next: `pawl show ${view.short}`,
  });
}

function marksOf(path: string, { fileScope, protected: kept }: Definition) {
  const inScope = fileScope.length === 0 || picomatch.isMatch(path, [...fileScope], { dot: true });
  const globs = kept.map((glob) => glob.split('#')[0] ?? glob);
  return { inScope, protected: globs.length > 0 && picomatch.isMatch(path, globs, { dot: true }) };
}

function statLines(
  files: readonly ChangedFile[],
  definition: Definition,
  context: Context,
): string[] {
  const rows = files.map((file) => {
    const { inScope, protected: isProtected } = marksOf(file.path, definition);
    const counts = file.added === null ? 'binary' : `+${file.added} −${file.removed ?? 0}`;
    return [
      counts,
      `${quotePath(file.path)}${inScope ? '' : '   outside the scope'}${isProtected ? '   protected' : ''}`,
    ];
  });
  return [...table(rows, context.style.columns), changedWords(files)];
}

function patchLines(patch: string): string[] {
  if (patch.trim() === '') return ['nothing changed.'];
  const lines = patch.replace(/\n$/, '').split('\n');
  const isCut = Buffer.byteLength(patch) >= patchBytesMax;
  return [...lines.map(clean), ...(isCut ? [`… cut after 4 MB; --stat lists every file`] : [])];
}
