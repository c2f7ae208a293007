/**
 * The one statement that writes a drain. Rows come in as JSON, a document for each table, and only
 * what has rows is part of the text, so there are few texts and each is prepared once.
 *
 * `mine` are the runs that stand where they were loaded, locked in ascending order, and those that
 * are born here. Everything else joins it: a run that has moved drops out with all of its rows, and
 * a store of another format has no run that is mine.
 */
import { registryKey } from '../../audit.ts';
import { query } from '../../query.ts';

/** Documents in the order of {@link parts}; null: nothing to write there. */
export interface BatchRows {
  readonly runs: readonly object[];
  readonly born: readonly object[];
  readonly events: readonly object[];
  readonly executions: readonly object[];
  readonly leases: readonly object[];
  readonly dropped: readonly object[];
  readonly timers: readonly object[];
  readonly cleared: readonly object[];
  readonly asked: readonly object[];
  readonly resolved: readonly object[];
  readonly references: readonly object[];
}

type Part = keyof BatchRows;

const formatIs = "exists (select from meta where key = 'format' and value = $1)";

const columns: Readonly<Record<Part, string>> = {
  runs: `seq bigint, expected bigint, moved boolean, version bigint, head text, at bigint,
    status text, phase text, disposition text, reason text, state text`,
  born: `seq bigint, id text, previous text, entry text, name text, project text, status text,
    phase text, disposition text, reason text, version bigint, head text, definition text,
    created_at bigint, at bigint, state text`,
  events: `ord bigint, run bigint, version bigint, type text, format bigint, actor text, at bigint,
    data text, salt text, data_hash text, hash text`,
  executions: `ord bigint, run bigint, id text, job_key text, role text, attempt bigint, no bigint,
    status text, class text, worker text, fence bigint, created_at bigint, job text`,
  leases: `run bigint, id text, worker text, boot_id text, pid bigint, started bigint,
    grant_id text, ttl float8`,
  dropped: 'run bigint, id text',
  timers: 'run bigint, kind text, generation bigint, due_at bigint',
  cleared: 'run bigint, kind text',
  asked: `ord bigint, run bigint, id text, kind text, asked_at bigint, expires_at bigint,
    execution text, args text, tool text, policy text, outcome text, by text, channel text,
    at bigint`,
  resolved: 'run bigint, id text, outcome text, by text, channel text, at bigint',
  references: 'run bigint, name text, digest text',
};

const mineOf = 'join mine m on m.seq = x.run';

/** What each part does; `x` are its rows. */
const parts: Readonly<Record<Part, string>> = {
  runs: `x_runs as materialized (select * from $x),
locked as materialized (select r.seq from runs r join x_runs x on x.seq = r.seq
  where r.version = x.expected and ${formatIs} order by r.seq for update of r),
moved as (update runs r set version = x.version, head = decode(x.head, 'hex'),
    updated_at = x.at, status = x.status, phase = x.phase, disposition = x.disposition,
    reason = x.reason, state = x.state
  from x_runs x join locked l on l.seq = x.seq where r.seq = x.seq and x.moved)`,
  born: `x_born as materialized (select * from $x where ${formatIs}),
entered as (insert into streams(seq, stream, previous, hash)
  select x.seq, x.id, x.previous, decode(x.entry, 'hex') from x_born x),
registered as (insert into meta(key, value)
  select '${registryKey}', $registry from (select from x_born limit 1) as any_born
  on conflict(key) do update set value = excluded.value),
born as (insert into runs(seq, id, name, project, kind, status, phase, disposition, reason,
    version, head, definition, created_at, updated_at, state)
  select x.seq, x.id, x.name, x.project, 'attempts', x.status, x.phase, x.disposition, x.reason,
    x.version, decode(x.head, 'hex'), x.definition, x.created_at, x.at, x.state
  from x_born x)`,
  events: `appended as (insert into events(stream, version, type, format, actor, at, data, salt,
    data_hash, hash)
  select x.run, x.version, x.type, x.format, x.actor, x.at, x.data, decode(x.salt, 'hex'),
    decode(x.data_hash, 'hex'), decode(x.hash, 'hex')
  from $x ${mineOf} order by x.ord)`,
  executions: `put as (insert into executions(id, run, job_key, role, attempt, no, status, class,
    worker, fence, created_at, job)
  select x.id, x.run, x.job_key, x.role, x.attempt, x.no, x.status, x.class, x.worker, x.fence,
    x.created_at, x.job
  from $x ${mineOf} order by x.ord
  on conflict(id) do update set status = excluded.status, class = excluded.class,
    worker = excluded.worker, fence = excluded.fence, job = excluded.job
  returning seq, id)`,
  leases: `granted as (insert into leases as l (execution, worker, boot_id, pid, started, grant_id,
    beat, expires_at)
  select p.seq, x.worker, x.boot_id, x.pid, x.started, x.grant_id, 0,
    clock_timestamp() + x.ttl * interval '1 millisecond'
  from $x ${mineOf} join put p on p.id = x.id
  on conflict(execution) do update set worker = excluded.worker, boot_id = excluded.boot_id,
    pid = excluded.pid, started = excluded.started, grant_id = excluded.grant_id, beat = 0,
    expires_at = excluded.expires_at, expired = false, cancel_seen = 0, signals = null,
    usage = null
  where l.grant_id <> excluded.grant_id)`,
  dropped: `dropped as (delete from leases l using $x ${mineOf} join executions e on e.id = x.id
  where l.execution = e.seq)`,
  timers: `timed as (insert into timers(stream, kind, generation, due_at)
  select x.run, x.kind, x.generation, x.due_at from $x ${mineOf}
  on conflict(stream, kind) do update set generation = excluded.generation,
    due_at = excluded.due_at)`,
  cleared: `cleared as (delete from timers t using $x ${mineOf}
  where t.stream = x.run and t.kind = x.kind)`,
  asked: `asked as (insert into approvals(id, run, kind, asked_at, expires_at, execution,
    args_digest, tool_digest, policy_digest, outcome, resolved_by, channel, resolved_at)
  select x.id, x.run, x.kind, x.asked_at, x.expires_at, x.execution, x.args, x.tool, x.policy,
    x.outcome, x.by, x.channel, x.at
  from $x ${mineOf} order by x.ord)`,
  resolved: `x_resolved as materialized (select x.* from $x ${mineOf}),
resolved as (update approvals a set outcome = x.outcome, resolved_by = x.by, channel = x.channel,
    resolved_at = x.at
  from x_resolved x where a.id = x.id and a.outcome is null returning a.id)`,
  references: `x_refs as materialized (select x.run, x.name, decode(x.digest, 'hex') as digest
  from $x ${mineOf}),
held as materialized (select a.state from artifacts a
  where a.digest in (select digest from x_refs) order by a.digest for share),
referred as (insert into artifact_refs(owner, name, digest)
  select x.run, x.name, x.digest from x_refs x
  on conflict(owner, name) do update set digest = excluded.digest)`,
};

const order = Object.keys(parts) as readonly Part[];

/** Nobody resolves an approval twice: whoever comes second changes nothing at all. */
const refused = `case when (select count(*) from resolved) <> (select count(*) from x_resolved)
  then pawl_refuse('an approval is open when it is resolved') end`;

/** The collector has it in hand: it is to be put again before anything refers to it. */
const leaving = `case when exists (select from held where state = 'deleting')
  then pawl_refuse_artifact('an artifact that is being removed is referred to') end`;

export interface Written {
  readonly format: string | null;
  /** Numbers of the runs that were written, as text. */
  readonly mine: readonly string[];
  readonly refused: null;
  readonly leaving: null;
}

export interface BatchStatement {
  readonly query: ReturnType<typeof query<readonly string[], Written>>;
  readonly values: readonly string[];
}

/** `registry`: what the registry of streams ends with after the births of this batch. */
export function writeBatch(
  format: string,
  rows: BatchRows,
  registry: string | null,
): BatchStatement {
  const values: string[] = [format];
  const placed = (value: string): string => `$${values.push(value)}`;
  const texts: string[] = [];
  for (const part of order) {
    if (rows[part].length === 0) continue;
    const rowsText = `json_to_recordset(${placed(jsonOf(rows[part]))}::json) as x(${columns[part]})`;
    const text = parts[part].replace('$x', () => rowsText);
    texts.push(part === 'born' ? text.replace('$registry', () => placed(registry ?? '')) : text);
    if (part === 'born') texts.push(mine(rows));
    if (part === 'runs' && rows.born.length === 0) texts.push(mine(rows));
  }
  const check = rows.resolved.length > 0 ? refused : 'null';
  const held = rows.references.length > 0 ? leaving : 'null';
  const text = `with ${texts.join(',\n')}
select (select value from meta where key = 'format') as format,
  array(select seq::text from mine) as mine, ${check} as refused,
  ${held} as leaving`;
  return { query: query(text), values };
}

function mine({ runs, born }: BatchRows): string {
  const of = [
    ...(runs.length > 0 ? ['select seq from locked'] : []),
    ...(born.length > 0 ? ['select seq from x_born'] : []),
  ];
  return `mine as materialized (${of.join(' union all ')})`;
}

/** What no text of PostgreSQL can hold; where JSON has it, it is written like this. */
const unholdable = /\\u(0000|d[89a-f])/i;
// A half of a pair has no meaning alone; the database would refuse the whole document for it.
const halves = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]|\0/g;

/** Rows as the document of a statement. */
export function jsonOf(rows: readonly object[]): string {
  const text = JSON.stringify(rows);
  if (!unholdable.test(text)) return text;
  return JSON.stringify(rows, (_, value: unknown) =>
    typeof value === 'string' ? value.replace(halves, '\ufffd') : value,
  );
}
