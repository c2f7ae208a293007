/**
 * The card of an approval (UX 5.3): what was made, what the checks say, and keys. Shown on a
 * terminal, by `approve` and by a live view; a pipe and `--yes` never meet it.
 */
import { RequestError } from '../kernel/errors.ts';
import type { RunView } from '../ports/client.ts';
import { noStory, tell } from '../ports/story.ts';
import type { Principal } from '../ports/words.ts';
import { keyRows, type Pressed, press } from './card.ts';
import type { Context } from './command.ts';
import { openIn } from './edit.ts';
import { endingLines, verdictsOf } from './ending.ts';
import { exits } from './exit.ts';
import { lookOnce } from './follow.ts';
import { type Resolution, resolved } from './gate.ts';
import { clean } from './text.ts';
import { resultWords } from './views/final.ts';
import { permissionKeys, wholeCall } from './views/permission-gate.ts';

const patchBytesMax = 4 * 1024 * 1024;
const linesMax = 400;

export interface Card {
  readonly view: RunView;
  readonly principal: Principal;
}

/** What became of a card: nothing was decided unless it says so. */
export type CardEnd =
  | { readonly how: 'decided'; readonly code: number }
  | { readonly how: 'skipped' | 'quit' }
  | Extract<Pressed, { readonly key: null }>;

/** The exit code of `approve`. */
export async function showCard(context: Context, card: Card): Promise<number> {
  await printPage(context, card.view);
  const end = await answerCard(context, card, new AbortController().signal);
  if ('how' in end && end.how === 'decided') return end.code;
  if ('key' in end && end.why === 'no_keys') throw noKeys(context, card.view);
  context.print([undecided(context, card.view)]);
  if ('how' in end) return exits.done;
  return end.why === 'left' ? exits.interrupted : exits.terminated;
}

/** Reads keys until one ends the card; the keys are shown again after what only looks. */
export async function answerCard(
  context: Context,
  card: Card,
  settled: AbortSignal,
): Promise<CardEnd> {
  const keys = keysOf(card.view);
  for (;;) {
    // Keys are read before they are shown, so that none is printed by the terminal itself.
    const next = press(
      context,
      keys.map(([key]) => key),
      settled,
    );
    context.print(['', ...cardKeys(card.view, context.style.columns)]);
    const pressed = await next;
    if (pressed.key === null) return pressed;
    const end = await act(context, card, pressed.key);
    if (end !== null) return end;
  }
}

export function undecided({ called }: Context, { short }: RunView): string {
  return `nothing was decided; ${short} waits   ·   ${called} approve ${short}`;
}

function noKeys({ called }: Context, { short }: RunView): RequestError {
  return new RequestError('no_answer', 'this terminal gives no single keys', {
    next: `${called} approve ${short} --yes   or  ${called} reject ${short} --note "…"`,
  });
}

/** The row of keys below the page. */
export function cardKeys(view: RunView, columns: number): string[] {
  return keyRows(keysOf(view), columns);
}

function keysOf({ gate, attempt }: RunView): readonly (readonly [string, string])[] {
  if (gate?.kind === 'permission') return permissionKeys;
  const isManual = gate?.kind === 'manual';
  return [
    ['y', isManual ? 'it is good' : 'allow these paths for the run'],
    ['n', `not yet (your note starts attempt ${attempt.n + 1})`],
    ['d', 'diff'],
    ['o', 'open worktree'],
    ['v', 'view'],
    ['s', 'skip'],
    ['q', 'quit'],
  ];
}

async function printPage(context: Context, view: RunView): Promise<void> {
  const client = await context.client();
  const { events } = await lookOnce(client, view.id, 0);
  const definition = await client.definition(view.id);
  const lines = await endingLines(context, { view, definition, story: tell(noStory, events) });
  context.print(lines);
}

/** Null: nothing is decided yet. */
async function act(context: Context, card: Card, key: string): Promise<CardEnd | null> {
  const { view } = card;
  const note = context.given.text('note');
  switch (key) {
    case 'y':
      return decided(context, { ...card, outcome: 'approved', note, ...reachOf(context, view) });
    case 'r':
      return decided(context, { ...card, outcome: 'approved', note, forRun: true });
    case 'n':
      return reject(context, card);
    case 'd':
      return look(context, await patchLines(context, view));
    case 'o':
      return look(context, await openTree(context, view));
    case 'v':
      return look(context, await wholeLines(context, view));
    default:
      return { how: key === 's' ? 'skipped' : 'quit' };
  }
}

async function decided(context: Context, resolution: Resolution): Promise<CardEnd> {
  return { how: 'decided', code: await resolved(context, resolution) };
}

/** A yes that was typed for the run is one for the run. */
const reachOf = ({ given }: Context, { gate }: RunView): { readonly forRun?: true } =>
  gate?.kind === 'permission' && given.has('for-run') ? { forRun: true } : {};

function look(context: Context, lines: readonly string[]): null {
  context.print(['', ...lines]);
  return null;
}

/** Without a note nothing is sent: the agent would be told nothing. */
async function reject(context: Context, card: Card): Promise<CardEnd | null> {
  const isCall = card.view.gate?.kind === 'permission';
  const question = isCall ? 'why not › ' : 'what is not good yet › ';
  const note = (await context.io.ask(question))?.trim() ?? '';
  if (note === '') {
    const who = isCall ? 'the agent' : 'the next attempt';
    context.print([`nothing was sent: ${who} needs to be told why`]);
    return null;
  }
  return decided(context, { ...card, outcome: 'rejected', note });
}

async function patchLines(context: Context, view: RunView): Promise<readonly string[]> {
  const { base, head, project } = view;
  if (base === null || head === null) return ['nothing is recorded that could differ'];
  const patch = await (await context.workspace()).patch(project, base, head, patchBytesMax);
  return bounded(patch, `${context.called} diff ${view.short}`);
}

async function openTree(context: Context, view: RunView): Promise<readonly string[]> {
  const workspace = await context.workspace();
  const directory =
    view.branch === null ? view.project : await workspace.locate(view.project, view.branch);
  if (directory === null) return [`there is no worktree now; its work is on ${view.branch ?? ''}`];
  const opened = await openIn(context.options.env, directory);
  return [`${opened ? 'opened' : 'worktree'}  ${directory}`];
}

async function wholeLines(context: Context, view: RunView): Promise<readonly string[]> {
  if (view.gate?.kind === 'permission') return wholeCall(view.gate, view);
  const client = await context.client();
  const { events } = await lookOnce(client, view.id, 0);
  const verdicts = await verdictsOf(client, { view, story: tell(noStory, events) });
  const asked = view.gate?.kind === 'manual' ? view.gate.look : (view.gate?.paths.join('\n') ?? '');
  const results = verdicts.flatMap(({ criteria }) => criteria).map((each) => resultWords(each));
  return [...bounded(asked, `${context.called} show ${view.short}`), ...results];
}

function bounded(text: string, whole: string): readonly string[] {
  const lines = text.replace(/\n$/, '').split('\n').map(clean);
  const more = lines.length - linesMax;
  return more <= 0 ? lines : [...lines.slice(0, linesMax), `… ${more} more lines: ${whole}`];
}
