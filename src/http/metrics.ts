/** What a server counts, in the text form of Prometheus. Names and labels are bounded in number. */
import type { Engine } from '../engine/engine.ts';
import type { HealthReader, RunsHealth } from '../engine/health-reader.ts';
import type { Store } from '../ports/store.ts';
import type { Instant } from '../ports/words.ts';
import type { Answered } from './server.ts';

export interface Metrics {
  answered(seen: Answered): void;
  /** The engine, with its commands counted. */
  counting(issue: Engine['issue']): Engine['issue'];
  /** Counts the rows of the store at this moment. */
  text(store: MeteredStore, now: Instant, health: MeteredHealth): Promise<string>;
}

export type MeteredStore = Pick<Store, 'runs' | 'openExecutions' | 'dispatchable'>;

/** What a reader finds, driver or not; see {@link healthReader}. */
export interface MeteredHealth {
  readonly runs: HealthReader;
  /** Of each driver: how many of its sweeps failed in a row, once they are told of. */
  readonly failingSweeps: () => Promise<number>;
}

/** Further rows are not counted; the gauge that is cut off reads exactly this. */
const rowsMax = 10_000;

type Labels = Readonly<Record<string, string>>;

export function metrics(): Metrics {
  const requests = counter();
  const seconds = counter();
  const commands = counter();
  return {
    answered: ({ method, route, status, ms }) => {
      requests.add({ method, route, status: `${status}` }, 1);
      seconds.add({ method, route }, ms / 1_000);
    },
    counting: (issue) => async (command) => {
      try {
        const issued = await issue(command);
        commands.add({ outcome: issued.kind }, 1);
        return issued;
      } catch (error: unknown) {
        commands.add({ outcome: 'failed' }, 1);
        throw error;
      }
    },
    text: async (store, now, health) => {
      const runs = counter();
      const executions = counter();
      for (const { status } of await store.runs({ open: true, limit: rowsMax })) {
        runs.add({ status }, 1);
      }
      for (const { status } of await store.openExecutions()) executions.add({ status }, 1);
      const queued = (await store.dispatchable(now, rowsMax)).length;
      return [
        ...family('pawl_open_runs', 'gauge', 'Runs that have not ended, by status.', runs),
        ...family(
          'pawl_open_executions',
          'gauge',
          'Executions that have not ended, by status.',
          executions,
        ),
        ...healthFamilies(await health.runs.read(), await health.failingSweeps()),
        ...family(
          'pawl_queued_executions',
          'gauge',
          'Executions that wait to be offered.',
          counter().add({}, queued),
        ),
        ...family(
          'pawl_commands_total',
          'counter',
          'Commands of this process, by outcome.',
          commands,
        ),
        ...family('pawl_http_requests_total', 'counter', 'Requests answered.', requests),
        ...family(
          'pawl_http_request_seconds_total',
          'counter',
          'Time spent on answering requests.',
          seconds,
        ),
        '',
      ].join('\n');
    },
  };
}

/** The run-health invariant (RR-13): nothing is left stuck past its grace. */
function healthFamilies(seen: RunsHealth, failingSweeps: number): readonly string[] {
  const byHealth = counter();
  const stuckBy = counter();
  for (const [health, n] of Object.entries(seen.byState)) byHealth.add({ health }, n);
  for (const [reason, n] of seen.stuckBy) stuckBy.add({ reason }, n);
  const one = (n: number) => counter().add({}, n);
  return [
    ...family('pawl_runs_by_health', 'gauge', 'Runs that have not ended, by health.', byHealth),
    ...family('pawl_stuck_runs', 'gauge', 'Runs that do not progress, by reason.', stuckBy),
    ...family(
      'pawl_stuck_runs_past_grace',
      'gauge',
      'Runs stuck for longer than their grace: more than none is an alarm.',
      one(seen.pastGrace),
    ),
    ...family(
      'pawl_stuck_seconds_max',
      'gauge',
      'How long the run that is stuck longest has been so, at most.',
      one(seen.longestMs / 1_000),
    ),
    ...family(
      'pawl_failing_sweeps',
      'gauge',
      'Sweeps of a driver that failed in a row, from the third on.',
      one(failingSweeps),
    ),
  ];
}

interface Counter {
  add(labels: Labels, n: number): Counter;
  rows(): readonly string[];
}

function counter(): Counter {
  const values = new Map<string, number>();
  const self: Counter = {
    add: (labels, n) => {
      const key = textOf(labels);
      values.set(key, (values.get(key) ?? 0) + n);
      return self;
    },
    rows: () => [...values].map(([labels, value]) => `${labels} ${value}`),
  };
  return self;
}

const family = (
  name: string,
  type: 'counter' | 'gauge',
  help: string,
  of: Counter,
): readonly string[] => [
  `# HELP ${name} ${help}`,
  `# TYPE ${name} ${type}`,
  ...of.rows().map((row) => `${name}${row}`),
];

function textOf(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

const escaped = (value: string): string =>
  value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
