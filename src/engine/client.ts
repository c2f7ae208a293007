/**
 * The {@link Client} port in this process: an operator's commands, and views of runs. It decides
 * nothing: who may is the engine's edge, what may be is the machines'.
 */
import type { Holder } from '../domain/execution/state.ts';
import { isDriverSeat } from '../kernel/driver-seats.ts';
import { WorldError } from '../kernel/errors.ts';
import type { Checks } from '../ports/checks.ts';
import type { Client, ListFilter, RunView } from '../ports/client.ts';
import type { ArtifactCollector } from '../ports/collector.ts';
import type { HeadSeal } from '../ports/heads.ts';
import type { RunFilter } from '../ports/store.ts';
import type { Workspace } from '../ports/workspace.ts';
import { textOf } from './artifact-text.ts';
import { auditStore } from './audit.ts';
import type { Engine } from './engine.ts';
import { withSweeps } from './failing-sweeps.ts';
import { landing } from './landing.ts';
import { logs, type SpoolReader } from './logs.ts';
import { operatorCommands } from './operator-commands.ts';
import { operatorEdge } from './operator-edge.ts';
import { pruning } from './pruning.ts';
import { findRun } from './reference.ts';
import { attendance, seatFigures } from './seat.ts';
import { teller } from './teller.ts';
import { type Views, views } from './views.ts';

export interface EngineClientOptions {
  readonly engine: Engine;
  /** Opened on first use. */
  readonly workspace: () => Promise<Workspace>;
  /** Re-verifies a landing; opened on first use. */
  readonly checks: () => Promise<Checks>;
  /** Opens what was signed; made on first use. */
  readonly heads: () => Promise<HeadSeal>;
  /** Absent: artifacts are not offered to `prune`. */
  readonly collector?: ArtifactCollector;
  /** Starts a detached driver unless one lives. */
  readonly ensureDriver: () => Promise<void>;
  /** Whether the holder of a seat lives, for the line `no driver`. */
  readonly lives: (holder: Holder) => boolean;
  /** Whether it lives and its machine runs it no more; absent: that cannot be told. */
  readonly stopped?: (holder: Holder) => boolean;
  /** The journal of an execution whose spool lies on this machine. */
  readonly readSpool: SpoolReader;
  /** Closes what the composition opened. */
  readonly close: () => Promise<void>;
}

export function engineClient(options: EngineClientOptions): Client {
  const { engine, workspace, checks, ensureDriver } = options;
  const { store, artifacts } = engine;
  const { lives, stopped = () => false } = options;
  const drives = attendance({ lives, stopped }, { clock: engine.clock, ...seatFigures });
  const shown = views(engine, { lives, drives });
  const tell = teller(engine);
  const edge = operatorEdge(tell);
  const read = reads(engine, shown);
  return {
    ...operatorCommands({ engine, views: shown, edge, ensureDriver, checks }),
    ...read,
    ...landing({
      client: read,
      tell,
      edge,
      workspace,
      checks,
      receipt: (digest) => textOf(artifacts, digest),
    }),
    ...pruning({ client: read, edge, workspace, engine, collector: options.collector }),
    ...logs(engine, options.readSpool),
    artifact: (digest) => artifacts.get(digest),
    drivers: async () =>
      withSweeps(
        store,
        (await store.seats()).filter((row) =>
          isDriverSeat(row) ? drives(row) : lives(row.holder),
        ),
      ),
    audit: () => auditStore(engine, options.heads),
    ensureDriver,
    close: options.close,
  };
}

type Reads = 'find' | 'list' | 'events' | 'definition';

const listReadMax = 1_000;

function reads(engine: Engine, shown: Views): Pick<Client, Reads> {
  const { store } = engine;
  return {
    find: async (reference) => shown.of(await findRun(store, reference)),
    list: async (filter) => {
      const rows = await store.runs(rowFilter(filter));
      const kept: RunView[] = [];
      for (const row of rows) {
        if (kept.length >= filter.limit) break;
        const isDemo = (await shown.definition(row))?.project.kind === 'demo';
        if (!isDemo || filter.demo) kept.push(await shown.of(row));
      }
      return kept;
    },
    events: (run, after, limit) => store.events(run, after, limit),
    definition: async (run) => {
      const definition = await shown.definition(await findRun(store, { text: run, project: null }));
      if (definition !== null) return definition;
      throw new WorldError('definition_missing', `the definition of ${run} was pruned`);
    },
  };
}

function rowFilter(filter: ListFilter): RunFilter {
  const { project, open, status, since, demo, limit } = filter;
  return {
    ...(project === null ? {} : { project }),
    ...(open ? { open } : {}),
    ...(status.length === 0 ? {} : { status }),
    ...(since === null ? {} : { since }),
    // Demo runs are told by their definitions, so that more rows are read than are shown.
    limit: demo ? limit : Math.max(limit, listReadMax),
  };
}
