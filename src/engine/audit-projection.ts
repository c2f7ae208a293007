/**
 * What a run is shown as, against what its events say: the projection is their fold and nothing
 * else (C1). One stream is read at a time, in pages; of a run its row is all that is kept.
 */
import { digestsIn } from '../domain/references.ts';
import type { RunAggregate } from '../domain/run/aggregate.ts';
import { canonicalJson } from '../kernel/json.ts';
import type { AuditReport, RunRow, Store } from '../ports/store.ts';
import { emptyAggregate, foldEvolve } from './fold.ts';

type Problem = AuditReport['problems'][number];
type Read = Pick<Store, 'runs' | 'events' | 'unreferenced'>;

const eventsAtOnce = 500;
/** Their rows are read at once. */
const runsMax = 10_000;
const columnsNamedMax = 10;

export interface ProjectionsAudit {
  readonly problems: readonly Problem[];
  readonly cannotProve: readonly string[];
}

export async function auditProjections(store: Read): Promise<ProjectionsAudit> {
  const problems: Problem[] = [];
  let erased = 0;
  const rows = await store.runs({ limit: runsMax });
  for (const row of rows) {
    const told = await foldOf(store, row);
    if (told === null) {
      erased += 1;
      continue;
    }
    problems.push(...judged(row, told.aggregate, told.lost));
  }
  return {
    problems,
    cannotProve: [
      ...(erased === 0
        ? []
        : [`events of ${erased} runs are not all there: what those are shown as is not told`]),
      ...(rows.length < runsMax ? [] : [`only the newest ${runsMax} runs were held against them`]),
    ],
  };
}

interface Told {
  readonly aggregate: RunAggregate;
  /** Names of references that the events made and that are gone. */
  readonly lost: readonly string[];
}

/** Null where an event is missing or erased: the chain's own check says which. */
async function foldOf(store: Read, row: RunRow): Promise<Told | null> {
  let aggregate = emptyAggregate;
  let version = 0;
  const lost: string[] = [];
  while (version < row.version) {
    const page = await store.events(row.id, version, eventsAtOnce);
    if (page.length === 0) return null;
    for (const stored of page) {
      if (stored.version > row.version) break;
      if (stored.version !== version + 1) return null;
      aggregate = foldEvolve(aggregate, stored.event);
      version = stored.version;
    }
    lost.push(...(await lostIn(store, page)));
  }
  return { aggregate, lost };
}

async function lostIn(
  store: Read,
  page: Awaited<ReturnType<Store['events']>>,
): Promise<readonly string[]> {
  const named = page.flatMap(({ event }) => digestsIn(event));
  const gone = new Set(await store.unreferenced([...new Set(named.map(({ digest }) => digest))]));
  return named.filter(({ digest }) => gone.has(digest)).map(({ name }) => name);
}

function judged(row: RunRow, aggregate: RunAggregate, lost: readonly string[]): readonly Problem[] {
  const { id: stream, version } = row;
  const differing = [...columnsApart(row, aggregate), ...stateApart(row.aggregate, aggregate)];
  const named = differing.slice(0, columnsNamedMax).join(', ');
  const references = [...new Set(lost)].slice(0, columnsNamedMax).join(', ');
  return [
    ...(differing.length === 0
      ? []
      : [{ stream, version, what: `the run is not shown as its events say: ${named}` }]),
    ...(lost.length === 0
      ? []
      : [{ stream, version, what: `references to its artifacts are gone: ${references}` }]),
  ];
}

function columnsApart(row: RunRow, { run }: RunAggregate): readonly string[] {
  if (run.status === 'unborn') return ['status'];
  const parked = run.status === 'needs_operator';
  const told = {
    name: run.name,
    project: run.project,
    status: run.status,
    phase: run.status === 'active' ? run.stage.phase : null,
    disposition: parked ? run.disposition : null,
    reason: parked ? run.reason : null,
  } satisfies Partial<RunRow>;
  return Object.entries(told)
    .filter(([column, value]) => row[column as keyof typeof told] !== value)
    .map(([column]) => column);
}

/** What is stored went through JSON: so does what it is compared with. */
function stateApart(stored: RunAggregate, told: RunAggregate): readonly string[] {
  const [is, was] = [plain(stored), plain(told)];
  const keys = new Set([...Object.keys(is.run), ...Object.keys(was.run)]);
  const parts = [...keys].filter((key) => !isSame(is.run[key], was.run[key]));
  const same = isSame(is.executions, was.executions);
  return [...parts.map((key) => `state.${key}`), ...(same ? [] : ['state.executions'])];
}

interface Plain {
  readonly run: Readonly<Record<string, unknown>>;
  readonly executions: unknown;
}
const plain = (aggregate: RunAggregate): Plain => JSON.parse(JSON.stringify(aggregate)) as Plain;

/** Whether two values of JSON are equal; the order of keys says nothing. */
function isSame(left: unknown, right: unknown): boolean {
  return canonicalJson(left) === canonicalJson(right);
}
