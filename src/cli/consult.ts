/**
 * `pawl consult`: asks a council about a parked run and prints what it says, as it comes. Nothing
 * of the run is decided by it.
 */
import { WorldError } from '../kernel/errors.ts';
import { advisers, councilMax, usualCouncil } from '../kernel/profiles.ts';
import type { RunView } from '../ports/client.ts';
import { type CouncilStory, isHeard } from '../ports/council-story.ts';
import { noStory, tell } from '../ports/story.ts';
import { answer, type Command, type Context } from './command.ts';
import { exits } from './exit.ts';
import { follow } from './follow.ts';
import { type Interrupts, watchInterrupts } from './interrupts.ts';
import { wrongVerb } from './next.ts';
import { opinionsJson, saidBy, saidIn } from './opinions.ts';
import { patient } from './patient.ts';
import { report } from './report.ts';
import { opinionLines } from './views/opinions.ts';
import { runJson } from './wire.ts';

export const command: Command = {
  name: 'consult',
  summary: 'Ask a council about a parked run: opinions, no decision.',
  arguments: { usage: '<run>', min: 1, max: 1 },
  flags: [
    {
      name: 'profiles',
      kind: 'value',
      value: 'a,b,c',
      says: `whom to ask (${usualCouncil.join(',')}), at most ${councilMax} of ${advisers
        .map(({ name }) => name)
        .join(', ')}`,
    },
  ],
  examples: ['pawl consult p0ne', 'pawl consult p0ne --profiles oracle,test'],
  run,
};

const driverCheckMs = 5_000;

async function run(context: Context): Promise<number> {
  const { given, called } = context;
  const view = await context.find(given.words[0] ?? '');
  const named = given.text('profiles');
  const line = `${called} consult ${view.short}${named === null ? '' : ` --profiles ${named}`}`;
  const principal = await context.human('consult', view, line);
  if (view.status !== 'needs_operator') throw wrongVerb(view, 'parked', called);
  const profiles = named === null ? null : named.split(',').map((name) => name.trim());
  const client = await context.client();
  await client.consult(view.id, profiles, principal);
  await client.ensureDriver();
  const interrupts = watchInterrupts(context.io, null);
  try {
    return await listen(context, view, interrupts);
  } finally {
    interrupts.close();
  }
}

/** Until all have been heard; the council goes on without anybody who listens. */
async function listen(context: Context, { id, short }: RunView, interrupts: Interrupts) {
  const { io } = context;
  const { woken } = interrupts;
  const isLeaving = () => interrupts.wish() !== 'none';
  const client = patient(context, await context.client(), {
    ...{ woken, isLeaving },
    again: `consult ${short}`,
  });
  const printed = new Set<string>();
  let story = noStory;
  let ensuredAt = io.monotonicMs();
  const looks = follow({ client, io, run: id, signal: neverAborted, after: 0, woken });
  for await (const { view, events } of looks) {
    story = tell(story, events);
    const { council } = story;
    if (council !== null) await printNew(context, council, printed);
    if (council !== null && isHeard(council)) return finish(context, view, council);
    if (isLeaving()) return leave(context, view, council);
    if (io.monotonicMs() - ensuredAt > driverCheckMs) {
      ensuredAt = io.monotonicMs();
      await client.ensureDriver();
    }
  }
  return exits.interrupted;
}

const neverAborted = new AbortController().signal;

async function printNew(context: Context, council: CouncilStory, printed: Set<string>) {
  const page = { council, now: context.io.now(), called: context.called };
  for (const opinion of council.opinions) {
    if (opinion.outcome === 'open' || printed.has(opinion.profile)) continue;
    printed.add(opinion.profile);
    const said = await saidIn(await context.client(), opinion);
    context.print([...opinionLines(said, { ...page, columns: context.style.columns }), '']);
  }
}

async function leave(context: Context, view: RunView, council: CouncilStory | null) {
  const opinions = opinionsJson(council, await saidBy(await context.client(), council));
  const next = `${context.called} show ${view.short}`;
  answer(context, [`the council goes on; what it says:  ${next}`], { ...runJson(view), opinions });
  return exits.interrupted;
}

async function finish(context: Context, view: RunView, council: CouncilStory): Promise<number> {
  const { opinions } = council;
  const given = opinions.filter(({ outcome }) => outcome === 'given').length;
  if (given === 0) {
    const found = opinions.map(({ profile, detail }) => `${profile}: ${detail}`).join('; ');
    throw new WorldError('no_opinion', `nobody of the council said anything about ${view.short}`, {
      found,
      next: `${context.called} show ${view.short} --events`,
    });
  }
  const fields = {
    opinions: opinionsJson(council, await saidBy(await context.client(), council)),
  };
  const count = `${given} of ${opinions.length} opinions`;
  return report(context, view, { line: `${count}; nothing is decided`, fields });
}
