/**
 * Tables of format 1 (design/store.md, "Tables"). Integer keys inside, public ids at the edge;
 * hashes are blobs; times are milliseconds. Tables that no code writes yet are here all the same,
 * so that the releases which bring their code need no migration.
 */
export const spine = `
create table meta(key text primary key, value text not null) without rowid;

create table streams(
  seq integer primary key, stream text not null unique, previous text, hash blob not null);

create table drivers(
  seat text primary key, worker text not null, boot_id text not null, pid integer not null,
  started integer not null, beat integer not null, version text not null, since integer not null);

create table runs(
  seq integer primary key, id text not null unique, name text not null, project text not null,
  kind text not null, status text not null, phase text, disposition text, reason text,
  version integer not null, head blob not null, definition text,
  created_at integer not null, updated_at integer not null, state text not null);
create index runs_name on runs(name);
create index runs_rested on runs(seq, version)
  where status in ('complete', 'cancelled', 'needs_operator');
create index runs_open on runs(project, status) where status not in ('complete', 'cancelled');

create table events(
  position integer primary key, stream integer not null, version integer not null,
  type text not null, format integer not null, actor text not null, at integer not null,
  data text, salt blob, data_hash blob not null, hash blob not null,
  unique(stream, version));

create table executions(
  seq integer primary key, id text not null unique, dispatch_id text, run integer not null,
  job_key text not null, role text not null, attempt integer not null, no integer not null,
  status text not null, class text, worker text, implementation text, request text, result text,
  priority integer not null default 0, fence integer not null, offered_until integer,
  created_at integer not null, job text not null);
create index executions_ready on executions(priority, seq) where status = 'DISPATCHED';
create index executions_run on executions(run);
create index executions_open on executions(worker)
  where status not in ('SUCCEEDED', 'FAILED', 'CANCELLED', 'EXHAUSTED');

create table leases(
  execution integer primary key, worker text not null, boot_id text not null,
  pid integer not null, started integer not null, grant_id text not null, beat integer not null,
  expires_at integer, cancel_seen integer not null default 0, signals text, usage text);

create table checkpoints(
  position integer primary key, run integer not null, key integer not null,
  format integer not null, body text not null, unique(run, key));

create table timers(
  stream integer not null, kind text not null, generation integer not null,
  due_at integer not null, primary key(stream, kind)) without rowid;
create index timers_due on timers(due_at);

create table approvals(
  seq integer primary key, id text not null unique, run integer not null, execution text,
  kind text not null, args_digest text, tool_digest text, policy_digest text,
  asked_at integer not null, expires_at integer,
  outcome text, resolved_by text, channel text, resolved_at integer);
create index approvals_open on approvals(run) where outcome is null;

create table tool_calls(
  key blob primary key, run integer not null, execution integer not null, server text not null,
  tool text not null, args_hash blob not null, n integer not null, class text not null,
  state text not null, task_id text, outcome text, delivered_at integer, expires_at integer);
create index tool_calls_run on tool_calls(run);
create index tool_calls_open on tool_calls(execution) where state <> 'recorded';

create table budgets(
  scope text not null, unit text not null, ceiling real not null, spent real not null,
  reserved real not null, primary key(scope, unit)) without rowid;

create table artifacts(
  digest blob primary key, size integer not null, kind text not null, media text,
  state text not null, touched_at integer not null, attestation text);
create index artifacts_touched on artifacts(touched_at);

create table artifact_refs(
  owner integer not null, name text not null, digest blob not null, unique(owner, name));
create index artifact_refs_digest on artifact_refs(digest);

create table evidence(
  id integer primary key, execution text not null, verb text not null, reason text not null,
  grant_presented text, digest text, at integer not null, n integer not null);
create index evidence_execution on evidence(execution);

create table workers(
  id text primary key, public_key text not null, labels text not null, slots integer not null,
  seen_at integer not null, state text not null);

create table loops(
  seq integer primary key, id text not null unique, name text not null, project text not null,
  status text not null, reason text, version integer not null, head blob not null,
  next_at integer, created_at integer not null, updated_at integer not null, state text not null);
create index loops_next on loops(next_at);

create table tasks(
  seq integer primary key, id text not null unique, loop integer, project text not null,
  phase text not null, version integer not null, head blob not null,
  created_at integer not null, updated_at integer not null, state text not null);

create table fires(
  loop integer not null, planned_at integer not null, fired_at integer, outcome text,
  unique(loop, planned_at));
`;
