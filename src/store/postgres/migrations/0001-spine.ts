/**
 * Tables of format 1 for PostgreSQL: those of `sqlite/migrations/0001-spine.ts`, column by column,
 * but for what only a server needs. Text is compared byte by byte (`C`), whatever the database was
 * made with: ids are searched by prefix. Rows that move often leave half of their page free, and no
 * index names a column that moves with every step, so that such an update touches no index.
 */
const text = 'text collate "C"';

export const spine = `
create table meta(key ${text} primary key, value ${text} not null);

create table streams(
  seq bigint primary key, stream ${text} not null unique, previous ${text}, hash bytea not null);

create table drivers(
  seat ${text} primary key, worker ${text} not null, boot_id ${text} not null,
  pid bigint not null, started bigint not null, beat bigint not null, version ${text} not null,
  since bigint not null);

create table runs(
  seq bigint primary key, id ${text} not null unique, name ${text} not null,
  project ${text} not null, kind ${text} not null, status ${text} not null, phase ${text},
  disposition ${text}, reason ${text}, version bigint not null, head bytea not null,
  definition ${text}, created_at bigint not null, updated_at bigint not null,
  state ${text} not null) with (fillfactor = 50);
alter table runs alter column state set storage main;
create index runs_name on runs(name);
create index runs_rested on runs(seq)
  where status in ('complete', 'cancelled', 'needs_operator');
create index runs_open on runs(project, status) where status not in ('complete', 'cancelled');

create table events(
  position bigint generated always as identity primary key, stream bigint not null,
  version bigint not null, type ${text} not null, format bigint not null, actor ${text} not null,
  at bigint not null, data ${text}, salt bytea, data_hash bytea not null, hash bytea not null,
  tx xid8 not null default pg_current_xact_id(),
  unique(stream, version));
create index events_followed on events(tx, position);

create table executions(
  seq bigint generated always as identity primary key, id ${text} not null unique,
  dispatch_id ${text}, run bigint not null, job_key ${text} not null, role ${text} not null,
  attempt bigint not null, no bigint not null, status ${text} not null, class ${text},
  worker ${text}, implementation ${text}, request ${text}, result ${text},
  priority bigint not null default 0, fence bigint not null, offered_until bigint,
  created_at bigint not null, job ${text} not null) with (fillfactor = 80);
create index executions_ready on executions(priority, seq) where status = 'DISPATCHED';
create index executions_run on executions(run);
create index executions_open on executions(worker)
  where status not in ('SUCCEEDED', 'FAILED', 'CANCELLED', 'EXHAUSTED');

create table leases(
  execution bigint primary key, worker ${text} not null, boot_id ${text} not null,
  pid bigint not null, started bigint not null, grant_id ${text} not null, beat bigint not null,
  expires_at timestamptz not null, expired boolean not null default false,
  cancel_seen bigint not null default 0, signals ${text}, usage ${text}) with (fillfactor = 50);

create table checkpoints(
  position bigint generated always as identity primary key, run bigint not null,
  key bigint not null, format bigint not null, body ${text} not null, unique(run, key));

create table timers(
  stream bigint not null, kind ${text} not null, generation bigint not null,
  due_at bigint not null, primary key(stream, kind));
create index timers_due on timers(due_at);

create table approvals(
  seq bigint generated always as identity primary key, id ${text} not null unique,
  run bigint not null, execution ${text}, kind ${text} not null, args_digest ${text},
  tool_digest ${text}, policy_digest ${text}, asked_at bigint not null, expires_at bigint,
  outcome ${text}, resolved_by ${text}, channel ${text}, resolved_at bigint);
create index approvals_open on approvals(run) where outcome is null;

create table tool_calls(
  key bytea primary key, run bigint not null, execution bigint not null, server ${text} not null,
  tool ${text} not null, args_hash bytea not null, n bigint not null, class ${text} not null,
  state ${text} not null, task_id ${text}, outcome ${text}, delivered_at bigint,
  expires_at bigint);
create index tool_calls_run on tool_calls(run);
create index tool_calls_open on tool_calls(execution) where state <> 'recorded';

create table budgets(
  scope ${text} not null, unit ${text} not null, ceiling double precision not null,
  spent double precision not null, reserved double precision not null, primary key(scope, unit));

create table artifacts(
  digest bytea primary key, size bigint not null, kind ${text} not null, media ${text},
  state ${text} not null, touched_at bigint not null, attestation ${text});
create index artifacts_touched on artifacts(touched_at);
create table artifact_chunks(
  digest bytea not null, no bigint not null, bytes bytea not null, primary key(digest, no));
alter table artifact_chunks alter column bytes set storage external;

create table artifact_refs(
  owner bigint not null, name ${text} not null, digest bytea not null, unique(owner, name));
create index artifact_refs_digest on artifact_refs(digest);

create table evidence(
  id bigint generated always as identity primary key, execution ${text} not null,
  verb ${text} not null, reason ${text} not null, grant_presented ${text}, digest ${text},
  at bigint not null, n bigint not null);
create index evidence_execution on evidence(execution);

create table workers(
  id ${text} primary key, public_key ${text} not null, labels ${text} not null,
  slots bigint not null, seen_at bigint not null, state ${text} not null);

create table loops(
  seq bigint generated always as identity primary key, id ${text} not null unique,
  name ${text} not null, project ${text} not null, status ${text} not null, reason ${text},
  version bigint not null, head bytea not null, next_at bigint, created_at bigint not null,
  updated_at bigint not null, state ${text} not null);
create index loops_next on loops(next_at);

create table tasks(
  seq bigint generated always as identity primary key, id ${text} not null unique, loop bigint,
  project ${text} not null, phase ${text} not null, version bigint not null, head bytea not null,
  created_at bigint not null, updated_at bigint not null, state ${text} not null);

create table fires(
  loop bigint not null, planned_at bigint not null, fired_at bigint, outcome ${text},
  unique(loop, planned_at));

create function pawl_refuse(what text) returns bigint language plpgsql as $$
begin
  raise exception using errcode = 'PW001', message = what;
end $$;
`;
