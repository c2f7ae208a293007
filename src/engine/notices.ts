/**
 * The puller of notices (UX 4.2, faults L-H9): follows the events of all runs and tells a person
 * what needs him. It never holds up the other pullers: sending goes on beside them.
 *
 * Promises: a notice is planned in the run's stream before it is sent, and sent by whoever planned
 * it alone, so it is sent at most once, whatever dies when and however many drivers there are. Its
 * outcome is recorded, and one that a dead driver left open is recorded as not delivered. What no
 * longer holds when it is looked at is not told. Bounded: pages of events, one notice at a time,
 * targets of it side by side.
 */
import type { Definition, NoticeKind, NoticeTarget } from '../domain/definition/definition.ts';
import type { LivingRun } from '../domain/run/state.ts';
import type { CancelSignal } from '../kernel/cancel-signal.ts';
import { TransientError } from '../kernel/errors.ts';
import type { Delivery, Notice, NoticeCursor, Notifier } from '../ports/notifier.ts';
import type { Position, StoredEvent } from '../ports/store.ts';
import { definitionOrNull } from './artifact-text.ts';
import { driverPrincipal, runCommand } from './command.ts';
import type { Engine } from './engine.ts';
import { isStill, kindOf, noticeOf } from './notice-text.ts';
import { shortOf } from './reference.ts';
import { messageOf } from './words.ts';

export interface NoticeOptions {
  readonly notifier: Notifier;
  readonly cursor: NoticeCursor;
}

export interface NoticePuller {
  /** Looks for what is to be told, unless it still does; returns at once. */
  turn(signal: CancelSignal): void;
  /** Resolves when what was begun has ended. */
  settled(): Promise<void>;
}

const pageEvents = 200;
const pagesMax = 20;
/** A cursor that lags costs a look at events that are known already, no more. */
const cursorLagMax = 500;

export function noticePuller(
  engine: Engine,
  options: NoticeOptions,
  log: (line: string) => void,
): NoticePuller {
  const { store } = engine;
  const teller = tellerOf(engine, options.notifier, log);
  let position: Position | null = null;
  let unwritten = 0;
  let hasWritten = false;
  let running: Promise<void> | null = null;

  const keep = async (isForced: boolean): Promise<void> => {
    if (position === null || unwritten === 0) return;
    if (!isForced && hasWritten && unwritten < cursorLagMax) return;
    await options.cursor.write(position);
    unwritten = 0;
    hasWritten = true;
  };
  /** Answers whether anything of the page was told; what was not looked at stays ahead. */
  const look = async (page: readonly StoredEvent[], signal: CancelSignal): Promise<boolean> => {
    let hasTold = false;
    for (const stored of page) {
      if (signal.aborted) break;
      const kind = kindOf(stored.event);
      if (kind !== null) await teller.about(stored, kind, signal);
      hasTold ||= kind !== null;
      position = stored.position;
      unwritten += 1;
    }
    return hasTold;
  };
  const pull = async (signal: CancelSignal): Promise<void> => {
    position ??= await options.cursor.read();
    for (let page = 0; page < pagesMax && !signal.aborted; page += 1) {
      const events = await store.eventsAfter(position, pageEvents);
      await keep(await look(events, signal));
      if (events.length < pageEvents) return;
    }
  };

  return {
    turn: (signal) => {
      if (running !== null || signal.aborted) return;
      running = pull(signal)
        .catch((error: unknown) => log(`notices: ${messageOf(error)}`))
        .finally(() => {
          running = null;
        });
    },
    settled: async () => {
      await running;
    },
  };
}

interface Labelled {
  readonly label: string;
  readonly target: NoticeTarget;
}

function tellerOf(engine: Engine, notifier: Notifier, log: (line: string) => void) {
  const { store, clock, artifacts } = engine;

  const record = async (stored: StoredEvent, to: string, { state, detail }: Delivery) => {
    const outcome = { type: 'record_notice', about: stored.version, to, state, detail } as const;
    await engine.issue(runCommand(stored.run, driverPrincipal, clock.now(), outcome));
    log(`${stored.run} notice ${to}: ${state}, ${detail}`);
  };
  const policyOf = (run: LivingRun): Promise<Definition | null> =>
    definitionOrNull(artifacts, run.definition);
  const send = async (stored: StoredEvent, notice: Notice, one: Labelled, signal: CancelSignal) =>
    record(stored, one.label, await notifier.deliver(notice, one.target, signal));

  /** Only whose plan was written sends: anybody else's is told by him, or never. */
  const plan = async (
    { stored, kind, version }: Looked,
    to: readonly string[],
  ): Promise<'ours' | 'not_ours' | 'moved'> => {
    const request = { type: 'plan_notice', about: stored.version, kind, to } as const;
    const command = runCommand(stored.run, driverPrincipal, clock.now(), request);
    const planned = await engine.issue({ ...command, expectedVersion: version });
    if (planned.kind === 'version_moved') return 'moved';
    return planned.kind === 'committed' && planned.version > version ? 'ours' : 'not_ours';
  };
  /** False: the run has moved since, and is to be looked at again. */
  const tell = async (looked: Looked, signal: CancelSignal): Promise<boolean> => {
    const { stored, kind, run } = looked;
    if (stored.version <= (run.notices?.seen ?? 0)) {
      await settleLeft(run, stored, record);
      return true;
    }
    const definition = isStill(run, kind) ? await policyOf(run) : null;
    const policy = definition?.notify;
    if (definition === null || policy?.on.includes(kind) !== true) return true;
    const labelled = labels(policy.to, notifier);
    const to = labelled.map(({ label }) => label);
    const planned = await plan(looked, to);
    if (planned !== 'ours') return planned === 'not_ours';
    const short = await shortOf(store, run.id);
    const notice = noticeOf({ run, short, kind, stored, directory: definition.project.root });
    await Promise.all(labelled.map((one) => send(stored, notice, one, signal)));
    return true;
  };

  return {
    about: async (stored: StoredEvent, kind: NoticeKind, signal: CancelSignal): Promise<void> => {
      for (let looks = 1; looks <= looksMax; looks += 1) {
        const loaded = await store.loadRun(stored.run);
        const run = loaded?.aggregate.run ?? null;
        if (loaded === null || run === null || run.status === 'unborn') return;
        if (await tell({ stored, kind, run, version: loaded.version }, signal)) return;
      }
      throw new TransientError('store.busy', `${stored.run} moved ${looksMax} times in a row`);
    },
  };
}

/** A run that never rests is looked at again with the next page. */
const looksMax = 20;

interface Looked {
  readonly stored: StoredEvent;
  readonly kind: NoticeKind;
  readonly run: LivingRun;
  readonly version: number;
}

/** Planned by a driver that ended before it knew: sending again could tell twice. */
async function settleLeft(
  run: LivingRun,
  stored: StoredEvent,
  record: (stored: StoredEvent, to: string, delivery: Delivery) => Promise<void>,
): Promise<void> {
  const left = (run.notices?.pending ?? []).filter(({ about }) => about === stored.version);
  const detail = 'the driver ended while it was sent; nobody knows whether it arrived';
  for (const { to } of left) await record(stored, to, { state: 'not_delivered', detail });
}

/** Two topics of one server are told apart by a number. */
function labels(targets: readonly NoticeTarget[], notifier: Notifier): readonly Labelled[] {
  const counts = new Map<string, number>();
  return targets.map((target) => {
    const label = notifier.label(target);
    const n = (counts.get(label) ?? 0) + 1;
    counts.set(label, n);
    return { target, label: n === 1 ? label : `${label} (${n})` };
  });
}
