/**
 * A client without a store: one world of runs held in memory, changed by the verbs as the engine
 * would change them, and by a script between two looks. Every call is kept in `calls`.
 */
import { RequestError } from '../../src/kernel/errors.ts';
import type { Client, GateAnswer, RunView } from '../../src/ports/client.ts';
import type { Position, StoredEvent } from '../../src/ports/store.ts';
import type { Definition, Instant, RunId } from '../../src/ports/words.ts';
import { digest, exampleDefinition, exampleView, execution } from './example-run.ts';

export interface ScriptedClient extends Client {
  readonly calls: readonly Call[];
  view(run?: string): RunView;
  /** What the driver would do between two looks. */
  change(change: Partial<RunView>, run?: string): void;
  define(definition: Definition, run?: string): void;
  emit(at: number, event: StoredEvent['event']): void;
  readonly artifacts: Map<string, string>;
}
export interface Call {
  readonly verb: string;
  readonly run: string | null;
  readonly details: readonly unknown[];
}

interface World {
  readonly runs: Map<string, RunView>;
  readonly definitions: Map<string, Definition>;
  readonly events: StoredEvent[];
  readonly calls: Call[];
  readonly artifacts: Map<string, string>;
}

export function scriptedClient(views: readonly RunView[] = [exampleView()]): ScriptedClient {
  const world: World = {
    runs: new Map(views.map((view) => [view.id, view])),
    definitions: new Map(views.map((view) => [view.id, exampleDefinition()])),
    events: [],
    calls: [],
    artifacts: new Map(),
  };
  const first = (): string => [...world.runs.keys()][0] ?? '';
  return {
    ...verbs(world),
    ...upkeep(world),
    ...reads(world),
    calls: world.calls,
    artifacts: world.artifacts,
    view: (run = first()) => known(world, run),
    change: (change, run = first()) => {
      put(world, run, change);
    },
    define: (definition, run = first()) => {
      world.definitions.set(run, definition);
    },
    emit: (at, event) => emitted(world, at, event),
    close: async () => called(world, 'close', null),
  };
}

function emitted(world: World, at: number, event: StoredEvent['event']): void {
  const version = world.events.length + 1;
  const run = ([...world.runs.keys()][0] ?? '') as RunId;
  const position = `${version}` as Position;
  world.events.push({ position, run, version, actor: 'test', at: at as Instant, event });
}

/** What a council says at once. */
function heard(profiles: readonly string[]): readonly StoredEvent['event'][] {
  const at = 0 as Instant;
  const by = { agent: 'claude', role: 'execute', by: 'me', channel: 'terminal', at } as const;
  const given = { outcome: 'given', text: digest('e'), detail: '', at } as const;
  return [
    { type: 'council.asked', profiles, ...by },
    ...profiles.map((profile, n) => {
      return { type: 'opinion.ended', profile, execution: execution(4 + n), ...given } as const;
    }),
  ];
}

function known({ runs }: World, run: string): RunView {
  const view = runs.get(run);
  if (view === undefined) {
    throw new RequestError('run_not_found', `no run ${run} in this store`, { found: run });
  }
  return view;
}

function put(world: World, run: string, change: Partial<RunView>): RunView {
  const before = known(world, run);
  const view = { ...before, ...change, version: before.version + 1 };
  world.runs.set(run, view);
  return view;
}

function called(world: World, verb: string, run: string | null, ...details: unknown[]): void {
  world.calls.push({ verb, run, details });
}

function verbs(world: World) {
  const act =
    (verb: string, change: Partial<RunView>) =>
    async (run: RunId, ...rest: readonly unknown[]): Promise<RunView> => {
      called(world, verb, run, ...rest);
      return put(world, run, change);
    };
  const going = { status: 'active', phase: 'executing', reason: null, disposition: null } as const;
  return {
    hint: act('hint', {}),
    pause: act('pause', { status: 'paused', phase: null }),
    resume: act('resume', { ...going, options: [] }),
    cancel: act('cancel', { status: 'cancelled', phase: null, cancelCause: 'cancelled' }),
    accept: act('accept', { status: 'complete', verification: 'overridden', phase: null }),
    answer: act('answer', going),
    resolveGate: act('resolveGate', { status: 'complete', verification: 'passed', gate: null }),
    consult: async (run, profiles, principal) => {
      called(world, 'consult', run, profiles, principal);
      const asked = profiles ?? ['oracle'];
      for (const event of heard(asked)) emitted(world, 0, event);
      return known(world, run);
    },
    recordLanding: act('recordLanding', {}),
  } satisfies Partial<Client>;
}

function upkeep(world: World) {
  return {
    start: async (request, principal) => {
      called(world, 'start', null, request, principal);
      const { intent, name, roles } = request.definition;
      const { profile, agent } = roles.execute;
      const maker = `${profile}@${agent}`;
      const view = exampleView({ goal: intent.originalIntent, name, maker });
      world.runs.set(view.id, view);
      world.definitions.set(view.id, request.definition);
      return view;
    },
    retry: async (run, request, principal) => {
      called(world, 'retry', run, request, principal);
      return exampleView({ name: request.definition.name });
    },
    land: async (run, request, principal) => {
      called(world, 'land', run, request, principal);
      const { head } = known(world, run);
      if (head === null) throw new RequestError('land_refused', 'nothing to land');
      const { method } = request;
      const landing = {
        ok: true,
        commit: head,
        into: 'main',
        reverified: false,
        moved: 0,
      } as const;
      const url = 'https://example.com/me/dates/pull/3';
      const proposal = { remote: 'origin', url, command: 'gh pr create', why: null };
      return method === 'pr' ? { ...landing, method, proposal } : { ...landing, method };
    },
    prunable: async (filter) => {
      called(world, 'prunable', null, filter);
      const item = { run: null, branch: null, root: '/r', bytes: 2048, safeBecause: 'landed' };
      return [{ ...item, path: '/trees/old' }];
    },
    prune: async (items, principal) => {
      called(world, 'prune', null, items, principal);
      return { freedBytes: 2048 };
    },
    recordRefusal: async (run, command, refused) =>
      called(world, 'recordRefusal', run, command, refused),
    ensureDriver: async () => called(world, 'ensureDriver', null),
  } satisfies Partial<Client>;
}

function reads(world: World) {
  return {
    find: async ({ text }) => {
      const all = [...world.runs.values()];
      const found =
        text === '@last'
          ? all.at(-1)
          : all.find(({ id, name }) => id.startsWith(text) || name === text);
      return found ?? known(world, text);
    },
    list: async (filter) =>
      [...world.runs.values()].filter(
        ({ status }) =>
          (filter.status.length === 0 || filter.status.includes(status)) &&
          (!filter.open || (status !== 'complete' && status !== 'cancelled')),
      ),
    events: async (_run, after, limit) =>
      world.events.filter(({ version }) => version > after).slice(0, limit),
    definition: async (run) => world.definitions.get(run) ?? exampleDefinition(),
    artifact: async (digest) => {
      const text = world.artifacts.get(digest);
      return text === undefined ? null : new TextEncoder().encode(text);
    },
    log: async (_execution, after) => ({
      lines: [
        { seq: 1, at: 1 as Instant, kind: 'stdout', text: 'read src/parse.ts\n' },
        { seq: 2, at: 2 as Instant, kind: 'stderr', text: '\u001b[31mred\u001b[0m warning\n' },
      ].filter(({ seq }) => seq > after),
      ended: true,
    }),
    drivers: async () => [],
    audit: async () => ({
      ...{ streams: 2, events: 40, erased: 0, archived: 0, problems: [], heads: [] },
      cannotProve: ['who holds the key can sign again'],
    }),
  } satisfies Partial<Client>;
}

/** Outcome and note of a gate verb that was sent. */
export function answerIn([answer]: readonly unknown[]): readonly [unknown, unknown] {
  const { outcome, note } = answer as GateAnswer;
  return [outcome, note];
}
