import type { RunView } from '../ports/client.ts';
import type { Command, Context } from './command.ts';
import { exitOf, exits } from './exit.ts';
import { type Interrupts, watchInterrupts } from './interrupts.ts';
import { standing } from './next.ts';
import { patient } from './patient.ts';
import { runJson } from './wire.ts';

export const command: Command = {
  name: 'wait',
  summary: 'Block until runs are no longer active; the exit code says what they came to.',
  arguments: { usage: '<run>…', min: 1, max: 100 },
  flags: [
    {
      name: 'timeout',
      kind: 'value',
      value: 'span',
      says: 'give up after this long (exit 124); the runs go on',
    },
    { name: 'any', kind: 'switch', says: 'until the first of them' },
  ],
  examples: ['pawl wait @last --timeout 8h && pawl land @last'],
  run,
};

const pollMs = 250;
const driverCheckMs = 5_000;

async function run(context: Context): Promise<number> {
  const views: RunView[] = [];
  for (const word of context.given.words) views.push(await context.find(word));
  const client = await context.client();
  await client.ensureDriver();
  const interrupts = watchInterrupts(context.io, null);
  try {
    return await waitLoop(context, views, interrupts);
  } finally {
    interrupts.close();
  }
}

async function waitLoop(
  context: Context,
  views: readonly RunView[],
  interrupts: Interrupts,
): Promise<number> {
  const { io, given } = context;
  const client = patient(context, await context.client(), {
    woken: interrupts.woken,
    isLeaving: () => interrupts.wish() !== 'none',
    again: `wait ${views.map(({ short }) => short).join(' ')}`,
  });
  const timeoutMs = given.durationMs('timeout') ?? Number.POSITIVE_INFINITY;
  const startedAt = io.monotonicMs();
  let ensuredAt = startedAt;
  for (;;) {
    const now = await Promise.all(views.map(({ id }) => client.find({ text: id, project: null })));
    const codes = now.map(codeOf);
    if (isDone(codes, given.has('any'))) return finish(context, now, worst(codes));
    const at = io.monotonicMs();
    if (at - startedAt >= timeoutMs) return finish(context, now, exits.timeout);
    if (interrupts.wish() !== 'none') return finish(context, now, exits.interrupted);
    if (at - ensuredAt > driverCheckMs) {
      ensuredAt = at;
      await client.ensureDriver();
    }
    await io.sleep(pollMs, interrupts.woken());
  }
}

function isDone(codes: readonly (number | null)[], any: boolean): boolean {
  const isOver = (code: number | null): boolean => code !== null;
  return any ? codes.some(isOver) : codes.every(isOver);
}

/** Waiting for a limit is not an end here: a wait is over when the run has left `active`. */
function codeOf(view: RunView): number | null {
  const stopsAtLimit = view.status === 'paused' && view.resumesAt !== null;
  return exitOf({ view, stopsAtLimit, isRefused: view.cancelCause === 'refused' });
}

const urgency: readonly number[] = [
  exits.needsOperator,
  exits.waitingHuman,
  exits.failed,
  exits.refused,
  exits.limited,
  exits.overridden,
];
function worst(codes: readonly (number | null)[]): number {
  return urgency.find((code) => codes.includes(code)) ?? exits.done;
}

function finish(context: Context, views: readonly RunView[], code: number): number {
  if (context.isJson) {
    context.json({ schema: 'pawl.runs/1', exit: code, runs: views.map((view) => runJson(view)) });
  } else {
    context.print(
      views.map(
        (view) =>
          `${view.name} ${view.short} · ${standing(view)} · ${context.called} show ${view.short}`,
      ),
    );
  }
  return code;
}
