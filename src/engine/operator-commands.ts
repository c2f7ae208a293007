/** The operator's verbs: text becomes an artifact, a verb becomes a command, a refusal an error. */
import type { Digest, RunId } from '../domain/ids.ts';
import type { Principal } from '../domain/principal/principal.ts';
import type { ResumeOptions } from '../domain/run/message.ts';
import { retriedNote } from '../domain/run/retried.ts';
import { runTerms } from '../domain/run/terms.ts';
import { RequestError } from '../kernel/errors.ts';
import type { Checks } from '../ports/checks.ts';
import type { Client, ResumeRequest, RunView, StartRequest } from '../ports/client.ts';
import { driverPrincipal, type RunRequest } from './command.ts';
import type { Engine } from './engine.ts';
import { mayNest } from './nested.ts';
import type { OperatorEdge } from './operator-edge.ts';
import { planeWorkers, standingOf } from './plane-workers.ts';
import { clip } from './prompt.ts';
import { findRun } from './reference.ts';
import { refusal } from './refusal.ts';
import { resolving } from './resolve-gate.ts';
import { teller } from './teller.ts';
import type { Views } from './views.ts';
import { noteMax } from './words.ts';

type Verbs =
  | 'start'
  | 'hint'
  | 'pause'
  | 'resume'
  | 'cancel'
  | 'accept'
  | 'consult'
  | 'answer'
  | 'resolveGate'
  | 'retry'
  | 'recordLanding'
  | 'recordRefusal';

export interface OperatorOptions {
  readonly engine: Engine;
  readonly views: Views;
  readonly edge: OperatorEdge;
  /** Called after every command that may leave work behind. */
  readonly ensureDriver: () => Promise<void>;
  /** Signs what a human looked at; opened on first use. */
  readonly checks: () => Promise<Pick<Checks, 'attest'>>;
}

export function operatorCommands(options: OperatorOptions): Pick<Client, Verbs> {
  const { engine } = options;
  const tell = teller(engine);

  const view = async (run: RunId): Promise<RunView> =>
    options.views.of(await findRun(engine.store, { text: run, project: null }));
  /** The command, and then somebody who carries on with it. */
  const act = async (run: RunId, principal: Principal, request: RunRequest): Promise<RunView> => {
    await tell(run, principal, request);
    await options.ensureDriver();
    return view(run);
  };
  const put = (text: string, kind: 'hint' | 'answer' | 'note'): Promise<Digest> =>
    engine.artifacts.put(text, kind);

  return {
    start: async (request, principal) => {
      const run = engine.ids.run();
      const starting = await startCommand(engine, run, request);
      await tell(run, principal, starting, { nestedAllowed: await mayNest(engine, principal) });
      await options.ensureDriver();
      return view(run);
    },
    hint: async (run, text, principal, when = 'next-turn') =>
      act(run, principal, hintOf(await put(text, 'hint'), when)),
    pause: (run, now, principal) => act(run, principal, { type: 'pause', now }),
    resume: async (run, request, principal) => {
      const hint = request.hint === null ? null : await put(request.hint, 'hint');
      const on = request.on === undefined ? {} : { on: await workerNamed(engine, request.on) };
      const options = { ...resumeOptions(request, hint), ...on };
      return act(run, principal, { type: 'resume', options });
    },
    cancel: (run, note, principal, now = false) => act(run, principal, cancelOf(note, now)),
    accept: (run, reason, principal) =>
      act(run, principal, { type: 'accept', reason: clip(reason, noteMax) }),
    consult: (run, profiles, principal) => act(run, principal, { type: 'consult', profiles }),
    answer: async (run, text, principal) =>
      act(run, principal, { type: 'answer', text: await put(text, 'answer') }),
    resolveGate: async (run, answer, principal) =>
      act(run, principal, await resolving(options, { seen: await view(run), answer, principal })),
    retry: async (run, request, principal) => {
      const before = await view(run);
      await options.edge.retry(before, principal);
      const { definition, detached } = request;
      const from = request.from === 'last' ? before.head : null;
      const next = engine.ids.run();
      const starting = await startCommand(engine, next, {
        definition,
        detached,
        resumedFrom: run,
        from,
      });
      // The old run goes first: a refusal must leave no second run behind (EV-52).
      if (before.status === 'needs_operator') {
        await tell(run, principal, { type: 'cancel', note: retriedNote(next), retriedAs: next });
      }
      return act(next, principal, starting);
    },
    recordLanding: (run, landing, principal) =>
      act(run, principal, { type: 'record_landing', ...landing }),
    recordRefusal: async (run, command, refused) => {
      await tell(run, driverPrincipal, { type: 'record_refusal', command, refused });
    },
  };
}

/**
 * By its id, there or not; by a name the one that is there, since a machine that was enrolled again
 * leaves its name behind.
 * @throws RequestError when nobody, or more than one, is meant.
 */
async function workerNamed(engine: Engine, word: string): Promise<string> {
  const known = (await planeWorkers(engine).list()).filter(({ state }) => state === 'enrolled');
  if (known.some(({ id }) => id === word)) return word;
  const open = await engine.store.openExecutions();
  const now = engine.clock.now();
  const there = known.filter((worker) => standingOf(worker, open, now) === 'enrolled');
  const named = known.filter(({ name }) => name === word);
  const present = there.filter(({ name }) => name === word);
  const meant = present.length > 0 ? present : named;
  const [found, ...others] = meant;
  if (found !== undefined && others.length === 0) return found.id;
  const listed = (others.length > 0 ? meant : there).slice(0, workersNamedMax);
  const names = listed.map(({ id, name }) => `${id} (${name})`);
  throw new RequestError(
    'bad_value',
    `${others.length > 0 ? 'several workers are' : 'no worker is'} known as "${word}"`,
    {
      where: '--on',
      found: word,
      allowed: names.length === 0 ? 'no worker is there' : names.join(', '),
      next: names.length === 0 ? 'pawl worker enroll' : 'pawl worker list',
    },
  );
}

const workersNamedMax = 20;

const hintOf = (text: Digest, when: 'next-turn' | 'next-attempt'): RunRequest =>
  when === 'next-attempt' ? { type: 'hint', text, nextAttempt: true } : { type: 'hint', text };

const cancelOf = (text: string, now: boolean): RunRequest => ({
  type: 'cancel',
  note: clip(text, noteMax),
  ...(now ? { now } : {}),
});

async function startCommand(
  engine: Engine,
  run: RunId,
  request: StartRequest,
): Promise<RunRequest> {
  const { definition, detached, resumedFrom, from } = request;
  const terms = runTerms(definition, { detached });
  if (!terms.ok) throw refusal(terms.error, definition.name);
  const digest = await engine.artifacts.put(JSON.stringify(definition), 'definition');
  return {
    type: 'start',
    run,
    name: definition.name,
    project: definition.project.root,
    definition: digest,
    terms: terms.value,
    resumedFrom,
    from,
  };
}

function resumeOptions(request: ResumeRequest, hint: Digest | null): ResumeOptions {
  const { grants, verifyNow, restore, allow, happened, fresh, now, fromAttempt } = request;
  return {
    grants,
    ...(hint === null ? {} : { hint }),
    ...(verifyNow === null ? {} : { verifyNow }),
    ...(restore ? { restore } : {}),
    ...(allow.length === 0 ? {} : { allow }),
    ...(happened === null ? {} : { happened }),
    ...(fresh ? { fresh } : {}),
    ...(now ? { now } : {}),
    ...(fromAttempt === null ? {} : { fromAttempt }),
  };
}
