/** Gathers what the page of a run's end (or of its standstill) needs, and makes the page. */
import { join } from 'node:path';
import type { Client, RunView } from '../ports/client.ts';
import { type Evidence, printedMax } from '../ports/escalation.ts';
import { lastPrinted } from '../ports/printed.ts';
import type { Story } from '../ports/story.ts';
import type { Commit, Definition, ExecutionId, Verdict } from '../ports/words.ts';
import type { ChangedFile, Workspace } from '../ports/workspace.ts';
import { artifactText, escalationKept, receiptDamage, verdictOf } from './artifacts.ts';
import { calledAs } from './called.ts';
import type { Context } from './command.ts';
import { clock } from './format.ts';
import { hadNoEnd, oneShot } from './never-ending.ts';
import { type Problem, problemLines } from './problem.ts';
import { receiptFacts } from './receipt-facts.ts';
import { nextWords } from './trial.ts';
import { escalationLines } from './views/escalation.ts';
import type { SameReasons } from './views/escalation-evidence.ts';
import { finalLines } from './views/final.ts';
import { gateLines } from './views/gate.ts';
import { lookAt } from './views/look-at.ts';

/** Enough to count tests in; a larger patch is counted as far as this. */
const patchBytesMax = 2 * 1024 * 1024;

export interface Standing {
  readonly view: RunView;
  readonly definition: Definition;
  readonly story: Story;
}

/** The lines that a viewer ends with, whatever the run came to. */
export async function endingLines(context: Context, standing: Standing): Promise<string[]> {
  const { view } = standing;
  if (view.status === 'needs_operator') return parkedLines(context, standing);
  if (view.status === 'waiting_human') return gatePage(context, standing);
  if (view.cancelCause === 'refused') return await refusedLines(context, standing);
  const client = await context.client();
  const verdicts = await verdictsOf(client, standing);
  const changed = await changedFiles(context, standing);
  return finalLines({
    ...standing,
    verdicts,
    changed,
    look: await lookOf(context, standing, { verdicts, changed }),
    receipt: await receiptFacts(client, view.receipt),
    damage: await receiptDamage(client, view.receipt),
    target: await targetOf(context, view),
    kept: await salvagedOf(context, view),
    at: (instant) => clock(context.io, instant),
    called: context.called,
    columns: context.style.columns,
  });
}

async function lookOf(
  context: Context,
  { view, story }: Standing,
  work: {
    readonly verdicts: readonly Verdict[];
    readonly changed: readonly ChangedFile[] | null;
  },
): Promise<readonly string[]> {
  const { changed, verdicts } = work;
  if (changed === null || view.status !== 'complete') return [];
  const checkChanged = verdicts.flatMap((verdict) => verdict.checkChanged ?? []);
  const patch = await patchOf(context, view);
  return lookAt({ changed, patch, checkChanged, findings: story.findings });
}

function patchOf(context: Context, { project, base, head }: RunView): Promise<string | null> {
  if (base === null || head === null) return Promise.resolve(null);
  return fromGit(context, (workspace) => workspace.patch(project, base, head, patchBytesMax));
}

/** The ref of what a cancelled run had not recorded; null: there is none, or git cannot tell. */
export async function salvagedOf(context: Context, view: RunView): Promise<string | null> {
  if (view.status !== 'cancelled') return null;
  const kept = await fromGit(context, ({ keptRefs }) => keptRefs(view.project, view.id));
  return kept?.[0]?.ref ?? null;
}

/** Landing asks again; this is what the page can say now. */
async function targetOf(context: Context, view: RunView): Promise<'unmoved' | 'moved' | null> {
  const { status, base, baseBranch, project, landed } = view;
  if (status !== 'complete' || landed !== null || base === null || baseBranch === null) return null;
  const now = await fromGit(context, (workspace) =>
    workspace.resolve(project, `refs/heads/${baseBranch}`),
  );
  return now === null ? null : now === base ? 'unmoved' : 'moved';
}

/** Null where git cannot tell: the page is worth showing when the repository has moved away. */
export async function fromGit<T>(
  context: Context,
  ask: (workspace: Workspace) => Promise<T>,
): Promise<T | null> {
  const workspace = await context.workspace();
  try {
    return await ask(workspace);
  } catch (error: unknown) {
    if (error instanceof Error && 'code' in error) return null;
    throw error;
  }
}

async function parkedLines(context: Context, standing: Standing): Promise<string[]> {
  const client = await context.client();
  return escalationLines({
    ...standing,
    now: context.io.now(),
    at: (instant) => clock(context.io, instant),
    ...(await evidenceOf(client, standing)),
    same: await sameReasons(context, client, standing),
    counted: await countedOf(client, standing),
    called: context.called,
    columns: context.style.columns,
  });
}

/** What is read of a parked run beside its events; what is gone by now is as it was kept. */
export async function evidenceOf(
  client: Client,
  { view, story }: Pick<Standing, 'view' | 'story'>,
): Promise<Evidence> {
  const lane = story.lastLane as ExecutionId | null;
  const text = await artifactText(client, view.text);
  const printed = lane === null ? [] : await lastPrinted(client, lane, printedMax);
  const isGone = printed.length === 0 || (text === null && view.text !== null);
  const kept = isGone ? await escalationKept(client, view.escalation ?? null) : null;
  if (kept === null) return { text, printed };
  return { text: text ?? kept.text, printed: printed.length > 0 ? printed : kept.evidence.printed };
}

async function gatePage(context: Context, standing: Standing): Promise<string[]> {
  const client = await context.client();
  return gateLines({
    ...standing,
    verdicts: await verdictsOf(client, standing),
    changed: await changedFiles(context, standing),
    now: context.io.now(),
    called: context.called,
    columns: context.style.columns,
  });
}

/** Refused before anything was spent (UX 4.4-4). */
async function refusedLines(context: Context, { view, definition }: Standing): Promise<string[]> {
  const from = `${view.baseBranch === null ? '' : `${view.baseBranch}@`}${(view.base ?? '').slice(0, 7)}`;
  const where = view.base === null ? 'in this folder' : `in a clean checkout of ${from}`;
  const summary = view.baseline?.summary ?? '';
  const { what, found } = causeIn(summary, definition);
  const problem: Problem = {
    code: 'check_unrunnable',
    what: `${what} cannot run ${where}`,
    where: null,
    so: null,
    found: found === '' ? (view.detail ?? 'the check could not be started') : found,
    allowed: null,
    next: hadNoEnd(summary) ? oneShot : await setupWords(context, definition),
    exit: 2,
    facts: {},
    cause: null,
  };
  return problemLines(problem, false).map((line) => calledAs(line, context.called));
}

/** The baseline's summary says both in one line; where setup failed it says only why. */
function causeIn(summary: string, { criteria, workspace }: Definition) {
  const told = /^("[\s\S]*?") cannot run on [^:]+: ([\s\S]*)$/.exec(summary);
  const found = (told?.[2] ?? summary).replace(/ \(likely: /, '     (likely: ');
  if (told?.[1] !== undefined) return { what: told[1], found };
  if (workspace.setup !== null && summary !== '') {
    return { what: `"${workspace.setup.command}"`, found };
  }
  const command = criteria.find((criterion) => 'command' in criterion);
  const isTold = command !== undefined && 'command' in command;
  return { what: isTold ? `"${command.command}"` : 'a check', found };
}

/** The setup that is found in the project of the run, as a flag; one that is told stays. */
async function setupWords(context: Context, definition: Definition): Promise<string> {
  const { root } = definition.project;
  const detection = await context.options.detection();
  const directory = join(root, definition.project.cwd);
  return nextWords(definition, await detection.project({ directory, root }));
}

/** The verdicts of the newest verified attempt. */
export async function verdictsOf(
  client: Client,
  { view, story }: Pick<Standing, 'view' | 'story'>,
): Promise<Verdict[]> {
  const digests = story.attempts.get(view.attempt.n)?.verdicts ?? [];
  const found = await Promise.all(digests.map((digest) => verdictOf(client, digest)));
  return found.filter((verdict) => verdict !== null);
}

export async function changedFiles(
  context: Context,
  { view }: Pick<Standing, 'view'>,
): Promise<readonly ChangedFile[] | null> {
  const { base, head, project } = view;
  if (base === null || head === null) return null;
  return await fromGit(context, (workspace) => workspace.changedFiles(project, base, head));
}

/** At most three reasons and three files that the last two failed attempts share. */
async function sameReasons(
  context: Context,
  client: Client,
  { view, story }: Standing,
): Promise<SameReasons> {
  const failed = [...story.attempts.values()]
    .filter(({ summary }) => summary?.outcome === 'failed')
    .slice(-2);
  const [before, last] = await Promise.all(
    failed.map(async ({ verdicts }) => {
      const verdict = await verdictOf(client, verdicts.at(-1) ?? null);
      return verdict?.criteria.flatMap((result) => result.reasons) ?? [];
    }),
  );
  const attempts = failed.map(({ n }) => n);
  const shared = both(before, last);
  if (shared.length === 0) return { reasons: [], attempts, files: [] };
  const [first, second] = await Promise.all(
    failed.map(async ({ n, commit }) => {
      const base = (story.attempts.get(n - 1)?.commit ?? view.base) as Commit | null;
      const changed = await changedFiles(context, {
        view: { ...view, base, head: commit as Commit | null },
      });
      return changed?.map(({ path }) => path) ?? [];
    }),
  );
  return { reasons: shared, attempts, files: both(first, second) };
}

function both(before: readonly string[] = [], last: readonly string[] = []): readonly string[] {
  return [...new Set(last)].filter((one) => before.includes(one)).slice(0, 3);
}

async function countedOf(client: Client, { view, story }: Standing) {
  const best = view.best === null ? undefined : story.attempts.get(view.best);
  const verdict = await verdictOf(client, best?.verdicts.at(-1) ?? null);
  const counts = verdict?.criteria.findLast((result) => result.counts !== null)?.counts ?? null;
  const baseline = await receiptFacts(client, view.baseline?.receipt ?? null);
  const before = baseline?.results.findLast((result) => result.counts !== null)?.counts ?? null;
  const total =
    counts?.passed == null || counts.failed === null ? null : counts.passed + counts.failed;
  return { total, baselineFailed: before?.failed ?? null };
}
