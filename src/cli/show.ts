/**
 * `pawl show`: one run. Parked, it is the escalation page; otherwise what it is and what happened.
 */
import { RequestError } from '../kernel/errors.ts';
import type { Client } from '../ports/client.ts';
import { escalationOf } from '../ports/escalation.ts';
import { noStory, tell } from '../ports/story.ts';
import { artifactText, receiptDamage, wholeText } from './artifacts.ts';
import { attemptsJson, spentOn } from './attempts-json.ts';
import { answer, type Command, type Context } from './command.ts';
import {
  changedFiles,
  endingLines,
  evidenceOf,
  type Standing,
  salvagedOf,
  verdictsOf,
} from './ending.ts';
import { escalationJson } from './escalation-json.ts';
import { exits } from './exit.ts';
import { lookOnce } from './follow.ts';
import { clock, iso, short } from './format.ts';
import { opinionsJson, saidBy } from './opinions.ts';
import { statementOf } from './receipt-facts.ts';
import { changedSettings } from './settings-print.ts';
import { clean } from './text.ts';
import { isUnderWay } from './under-way.ts';
import { artifactWords } from './views/artifacts.ts';
import { isVerified } from './views/final.ts';
import { shortOpinions } from './views/opinions.ts';
import { labelled } from './views/page.ts';
import { rolesJson, rolesWords } from './views/roles.ts';
import { attemptLines, eventLine, historyLines, openLines } from './views/show.ts';
import { runJson } from './wire.ts';

export const command: Command = {
  name: 'show',
  summary: 'One run: where it stands, what was tried, what can be done.',
  arguments: { usage: '<run>', min: 1, max: 1 },
  flags: [
    { name: 'attempt', kind: 'value', value: 'n', says: 'one attempt: its verdict in full' },
    {
      name: 'receipt',
      kind: 'switch',
      says: 'the signed receipt; with --json a file for artifact verify',
    },
    { name: 'history', kind: 'switch', says: 'the history given to the next attempt' },
    { name: 'events', kind: 'switch', says: 'the event history' },
    { name: 'definition', kind: 'switch', says: 'the definition as it was at start' },
    {
      name: 'plan',
      kind: 'switch',
      says: 'the plan',
      later: 'a run has no plan, only attempts at the whole goal',
    },
  ],
  examples: ['pawl show 7k2m', 'pawl show 7k2m --receipt --json > r.json'],
  run,
};

/** Each is a page of its own. */
const pages = ['attempt', 'receipt', 'history', 'events', 'definition'] as const;

async function run(context: Context): Promise<number> {
  const { given } = context;
  onePage(context);
  const found = await context.find(given.words[0] ?? '');
  const client = await context.client();
  const { view, events } = await lookOnce(client, found.id, 0);
  const definition = await client.definition(view.id);
  const standing: Standing = { view, definition, story: tell(noStory, events) };
  if (given.has('receipt')) return showReceipt(context, client, standing);
  if (given.has('definition')) {
    answer(context, [JSON.stringify(definition, null, 2)], {
      schema: 'pawl.definition/1',
      definition,
    });
    return exits.done;
  }
  if (given.has('events')) {
    for (const stored of events) {
      if (context.isJson) {
        const { type, ...data } = stored.event;
        const at = iso(stored.at);
        context.json({
          schema: 'pawl.event/1',
          at,
          seq: stored.version,
          type,
          run: stored.run,
          actor: stored.actor,
          data,
        });
      } else
        context.print([eventLine(stored, clock(context.io, stored.at), context.style.columns)]);
    }
    return exits.done;
  }
  if (given.has('history')) {
    const lines = historyLines(standing.view);
    answer(context, lines, { schema: 'pawl.history/1', run: view.id, text: lines.join('\n') });
    return exits.done;
  }
  const n = given.whole('attempt', 1);
  return n === null ? showRun(context, standing) : showAttempt(context, standing, n);
}

/** @throws RequestError `usage`. */
function onePage({ given, called }: Context): void {
  const [first, second] = pages.filter((name) => given.has(name));
  if (first === undefined || second === undefined) return;
  throw new RequestError('usage', `--${first} and --${second} are two pages: one at a time`, {
    next: `${called} show ${given.words[0] ?? '<run>'} --${first}`,
  });
}

async function showRun(context: Context, standing: Standing): Promise<number> {
  const { view } = standing;
  if (context.isJson) {
    const client = await context.client();
    const isParked = view.status === 'needs_operator';
    const escalation = isParked
      ? escalationJson(
          escalationOf(view, standing.story, await evidenceOf(client, standing)),
          view.escalation ?? null,
        )
      : null;
    const receipts = view.attempts.flatMap(({ receipt }) => (receipt === null ? [] : [receipt]));
    const attempts = await attemptsJson(context, standing);
    const settingsChanged = (await changedSettings(context, standing.definition)) !== null;
    const roles = rolesJson(standing.definition);
    const { artifacts } = standing.story;
    const damage = await receiptDamage(client, view.receipt);
    const damaged = damage === null ? {} : { receiptDamage: damage };
    const { council } = standing.story;
    const opinions = opinionsJson(council, await saidBy(client, council));
    const salvaged = await salvagedOf(context, view);
    const parked = { escalation, opinions, salvaged };
    const more = { roles, artifacts, settingsChanged, attempts, ...parked, receipts, ...damaged };
    const page = { ...landedJson(standing), ...more };
    const told = { ...runJson(view), ...page };
    context.json(told);
    return exits.done;
  }
  const page = isUnderWay(view)
    ? openLines({
        ...standing,
        now: context.io.now(),
        at: (instant) => clock(context.io, instant),
        called: context.called,
        columns: context.style.columns,
      })
    : await endingLines(context, standing);
  const [head = '', ...rest] = page;
  const changed = await settingsRows(context, standing);
  const about = [
    ...rolesRows(context, standing),
    ...leftRows(context, standing),
    ...(await damageRows(context, standing)),
  ];
  const below = await opinionRows(context, standing);
  context.print([head, ...about, ...landedRows(context, standing), ...changed, ...rest, ...below]);
  return exits.done;
}

async function opinionRows(context: Context, { view, story }: Standing): Promise<string[]> {
  const { council } = story;
  if (view.status !== 'needs_operator' || council === null) return [];
  const said = await saidBy(await context.client(), council);
  const { columns } = context.style;
  return shortOpinions(said, { council, now: context.io.now(), called: context.called, columns });
}

function landedJson({ view, story }: Standing) {
  if (view.landed === null || story.landing === null) return {};
  const { at, method, reverified, by } = story.landing;
  return { landed: { ...view.landed, at: iso(at), method, reverified, by } };
}

/** Of verified work its last page says it, in place of what a receipt would vouch for. */
async function damageRows(context: Context, { view }: Standing): Promise<string[]> {
  if (isVerified(view)) return [];
  const damage = await receiptDamage(await context.client(), view.receipt);
  return damage === null ? [] : labelled('receipt', damage, context.style.columns);
}

/** The page of a parked run has no room for it; `--definition` has it all. */
function rolesRows(context: Context, { view, definition }: Standing): string[] {
  const who = view.status === 'needs_operator' ? null : rolesWords(definition);
  return who === null ? [] : labelled('roles', who, context.style.columns);
}

/** What is lacking is told by the page itself. */
function leftRows(context: Context, { view, story }: Standing): string[] {
  if (view.status === 'needs_operator' || story.artifacts === null) return [];
  const [names] = artifactWords({ ...story.artifacts, missing: [], refused: [] });
  return names === undefined ? [] : labelled('artifacts', names, context.style.columns);
}

/** A run goes by its own definition, whatever its file says by now. */
async function settingsRows(context: Context, { view, definition }: Standing): Promise<string[]> {
  const changed = await changedSettings(context, definition);
  if (changed === null) return [];
  const page = `${context.called} show ${view.short} --definition`;
  return labelled('settings', `${changed}; what counts here: ${page}`, context.style.columns);
}

/** What lies on a branch was verified there, or is only what was verified before it went there. */
function landedRows(context: Context, { story }: Standing): string[] {
  if (story.landing === null) return [];
  const { at, commit, into, method, reverified, by } = story.landing;
  const again = reverified ? 'verified again there' : 'not verified again there';
  const when = clock(context.io, at);
  const text = `on ${into} as ${short(commit)}, ${method}, ${when} by ${by}; ${again}`;
  return labelled('landed', text, context.style.columns);
}

async function showAttempt(context: Context, standing: Standing, n: number): Promise<number> {
  const told = standing.story.attempts.get(n);
  if (told === undefined) {
    throw new RequestError('bad_value', `${standing.view.short} has no attempt ${n}`, {
      where: '--attempt',
      allowed: [...standing.story.attempts.keys()].join(', '),
    });
  }
  const client = await context.client();
  const at = { ...standing, view: { ...standing.view, attempt: { ...standing.view.attempt, n } } };
  const verdicts = await verdictsOf(client, at);
  const outputs = await Promise.all(
    verdicts.flatMap(({ criteria }) => criteria).map(({ output }) => artifactText(client, output)),
  );
  const changed =
    told.commit === null
      ? null
      : await changedFiles(context, {
          view: { ...standing.view, head: told.commit as NonNullable<typeof standing.view.head> },
        });
  answer(
    context,
    attemptLines({
      told,
      story: standing.story,
      verdicts,
      outputs,
      changed,
      columns: context.style.columns,
    }),
    {
      schema: 'pawl.attempt/1',
      run: standing.view.id,
      ...told,
      ...spentOn(standing.story, n),
      verdicts,
    },
  );
  return exits.done;
}

async function showReceipt(context: Context, client: Client, { view }: Standing): Promise<number> {
  const text = await wholeText(client, view.receipt);
  if (text === null && view.receipt !== null) {
    const what = `the receipt of ${view.short} is not in the store any more`;
    throw new RequestError('artifact_missing', what, {
      found: view.receipt,
      so: 'it can be brought back from a backup; nothing of pawl removes it while its run is kept',
      next: `${context.called} show ${view.short}`,
    });
  }
  if (text === null) {
    throw new RequestError('bad_value', `${view.short} has no receipt`, {
      found: 'nothing was verified',
      next: `${context.called} show ${view.short}`,
    });
  }
  // With --json this is the signed envelope byte by byte: a file for `artifact verify`.
  if (context.isJson) context.io.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
  else context.print(receiptLines(text));
  return exits.done;
}

function receiptLines(text: string): string[] {
  const statement = statementOf(text);
  if (statement === null) return text.split('\n').map(clean);
  return JSON.stringify(statement, null, 2).split('\n').map(clean);
}
