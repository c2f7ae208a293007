/** Gathers what the page of a run's end (or of its standstill) needs, and makes the page. */
import type { Client, RunView } from '../ports/client.ts';
import type { Definition, Verdict } from '../ports/words.ts';
import type { ChangedFile } from '../ports/workspace.ts';
import { artifactText, verdictOf } from './artifacts.ts';
import type { Context } from './command.ts';
import { clock } from './format.ts';
import { hadNoEnd, oneShot } from './never-ending.ts';
import { type Problem, problemLines } from './problem.ts';
import type { Story } from './story.ts';
import { escalationLines } from './views/escalation.ts';
import { finalLines } from './views/final.ts';
import { gateLines } from './views/gate.ts';

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
  if (view.cancelCause === 'refused') return refusedLines(standing);
  const client = await context.client();
  return finalLines({
    ...standing,
    verdicts: await verdictsOf(client, standing),
    changed: await changedFiles(context, standing),
    at: (instant) => clock(context.io, instant),
    called: context.called,
    columns: context.style.columns,
  });
}

async function parkedLines(context: Context, standing: Standing): Promise<string[]> {
  const client = await context.client();
  return escalationLines({
    ...standing,
    now: context.io.now(),
    at: (instant) => clock(context.io, instant),
    text: await artifactText(client, standing.view.text),
    same: await sameReasons(client, standing.story),
    called: context.called,
    columns: context.style.columns,
  });
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
function refusedLines({ view, definition }: Standing): string[] {
  const command = definition.criteria.find((criterion) => 'command' in criterion);
  const what =
    command === undefined || !('command' in command) ? 'a check' : `"${command.command}"`;
  const from = `${view.baseBranch === null ? '' : `${view.baseBranch}@`}${(view.base ?? '').slice(0, 7)}`;
  const hasSetup = definition.workspace.setup !== null;
  const summary = view.baseline?.summary ?? '';
  const problem: Problem = {
    code: 'check_unrunnable',
    what: `${what} cannot run in a clean checkout of ${from}`,
    where: null,
    so: null,
    found: summary === '' ? (view.detail ?? 'the check could not be started') : summary,
    allowed: null,
    next: `${remedy(summary, hasSetup)};   nothing was spent`,
    exit: 2,
    facts: {},
    cause: null,
  };
  return problemLines(problem, false);
}

function remedy(summary: string, hasSetup: boolean): string {
  if (hadNoEnd(summary)) return oneShot;
  return hasSetup
    ? 'correct setup or check, and run it in a fresh clone'
    : '--setup "npm ci"  or whatever makes a fresh checkout able to run the check';
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
  if (view.base === null || view.head === null) return null;
  const workspace = await context.workspace();
  try {
    return await workspace.changedFiles(view.project, view.base, view.head);
  } catch (error: unknown) {
    // The page is still worth showing when the repository has moved away or was pruned.
    if (error instanceof Error && 'code' in error) return null;
    throw error;
  }
}

/** At most three reasons that the last two failed attempts share: the sign of a wall. */
async function sameReasons(client: Client, story: Story): Promise<readonly string[]> {
  const failed = [...story.attempts.values()]
    .filter(({ summary }) => summary?.outcome === 'failed')
    .slice(-2);
  if (failed.length < 2) return [];
  const reasons = await Promise.all(
    failed.map(async ({ verdicts }) => {
      const verdict = await verdictOf(client, verdicts.at(-1) ?? null);
      return verdict?.criteria.flatMap((result) => result.reasons) ?? [];
    }),
  );
  const [before = [], last = []] = reasons;
  return [...new Set(last)].filter((reason) => before.includes(reason)).slice(0, 3);
}
