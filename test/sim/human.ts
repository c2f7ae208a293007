/**
 * The operator, as a script: looks in now and then, answers what waits for a human, and now and
 * then pauses, cancels, hints. Every look is a process of its own, like a typed command, and may be
 * killed.
 */
import type { RunId } from '../../src/domain/ids.ts';
import type { Principal } from '../../src/domain/principal/principal.ts';
import { ProductError } from '../../src/kernel/errors.ts';
import type { Client, ResumeRequest, RunView } from '../../src/ports/client.ts';
import type { Random } from './random.ts';

export const ada: Principal = {
  kind: 'human',
  actor: 'ada',
  channel: 'terminal',
  ancestry: 'clean',
};
/** An agent that types gate verbs into a shell. */
export const impostor: Principal = {
  kind: 'lane',
  actor: 'mallory',
  channel: 'library',
  ancestry: 'lane',
};

export interface HumanMood {
  readonly random: Random;
  /** At the end of the world what waits for a human is brought to its end. */
  readonly decisive: boolean;
  /** And later what still works, too. */
  readonly impatient: boolean;
}

export async function look(client: Client, mood: HumanMood): Promise<void> {
  await client.ensureDriver();
  const runs = await client.list({
    project: null,
    open: false,
    status: [],
    since: null,
    limit: 100,
    demo: true,
  });
  for (const run of runs) {
    await attempt(() => react(client, run, mood));
    if (mood.random.chance(0.1)) await attempt(() => imitate(client, run, mood.random));
  }
}

/**
 * A refused verb is an answer; what else is thrown ends this process, as it would end a command.
 */
async function attempt(act: () => Promise<unknown>): Promise<void> {
  try {
    await act();
  } catch (error: unknown) {
    if (!(error instanceof ProductError)) throw error;
  }
}

const answered = (outcome: 'approved' | 'rejected', note: string | null) => ({
  approval: null,
  outcome,
  note,
});

function imitate(client: Client, run: RunView, random: Random): Promise<unknown> {
  const acts = [
    () => client.resume(run.id, nothing, impostor),
    () => client.accept(run.id, 'looks fine', impostor),
    () => client.answer(run.id, 'yes', impostor),
    () => client.consult(run.id, null, impostor),
    () => client.resolveGate(run.id, answered('approved', null), impostor),
    () => client.cancel(run.id, 'mine now', impostor),
  ] as const;
  return random.pick([acts[0], acts[1], acts[2], acts[3], acts[4], acts[5]])();
}

function react(client: Client, run: RunView, mood: HumanMood): Promise<unknown> {
  switch (run.status) {
    case 'needs_operator':
      return parked(client, run, mood);
    case 'waiting_human': {
      const outcome = mood.random.chance(0.6) ? 'approved' : 'rejected';
      return client.resolveGate(run.id, answered(outcome, 'seen'), ada);
    }
    case 'paused':
      return mood.decisive && mood.random.chance(0.5)
        ? client.cancel(run.id, 'over', ada)
        : client.resume(run.id, nothing, ada);
    case 'active':
      return working(client, run, mood);
    default:
      return Promise.resolve();
  }
}

function working(client: Client, run: RunView, mood: HumanMood): Promise<unknown> {
  const { random, decisive, impatient } = mood;
  if (decisive && !impatient) return Promise.resolve();
  if (decisive) return random.chance(0.2) ? client.cancel(run.id, 'over', ada) : Promise.resolve();
  if (random.chance(0.05)) return client.pause(run.id, random.chance(0.5), ada);
  if (random.chance(0.03)) return client.cancel(run.id, 'enough', ada);
  if (random.chance(0.1)) return client.hint(run.id, 'look in weeks.ts', ada);
  if (run.phase === 'waiting' && random.chance(0.05)) {
    return client.resume(run.id, { ...nothing, now: true }, ada);
  }
  return Promise.resolve();
}

export const nothing: ResumeRequest = {
  grants: {},
  hint: null,
  verifyNow: null,
  restore: false,
  allow: [],
  happened: null,
  fresh: false,
  now: false,
  fromAttempt: null,
};

async function parked(client: Client, run: RunView, mood: HumanMood): Promise<unknown> {
  const { random, decisive } = mood;
  if (run.reason === 'blocked_by_question' && random.chance(0.7)) {
    return client.answer(run.id, 'the second one', ada);
  }
  if (decisive || random.chance(0.15)) {
    return random.chance(0.5)
      ? client.accept(run.id, 'good enough', ada)
      : client.cancel(run.id, 'over', ada);
  }
  if (random.chance(0.1)) return client.consult(run.id, ['oracle', 'fixer'], ada);
  if (random.chance(0.1)) return retry(client, run.id, random);
  return client.resume(run.id, widened(run, random), ada);
}

async function retry(client: Client, run: RunId, random: Random): Promise<unknown> {
  const definition = await client.definition(run);
  const from = random.chance(0.5) ? 'last' : 'base';
  return client.retry(run, { definition, from, detached: true }, ada);
}

/** What the reason asks for, and now and then not enough of it. */
function widened(run: RunView, random: Random): ResumeRequest {
  const enough = random.chance(0.9);
  const grants = enough ? { attempts: 3, costUsd: 5, tokens: 100_000, timeMs: 7_200_000 } : {};
  return {
    ...nothing,
    grants,
    hint: random.chance(0.3) ? 'the bug is in weeks.ts' : null,
    happened: run.reason === 'unknown_outcome' ? random.chance(0.5) : null,
    restore: ['drift_detected', 'protected_changed'].includes(run.reason ?? ''),
    fresh: run.reason === 'context_overflow',
    verifyNow: run.head !== null && random.chance(0.15) ? { commit: run.head } : null,
  };
}
