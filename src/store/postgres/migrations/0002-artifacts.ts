/**
 * Artifacts in the database. Their bytes lie in chunks under the number of a content, which is
 * named by one artifact, or by a row of `artifact_uploads` while it comes in and when it is to be
 * removed. No release wrote to the tables of artifacts before.
 */
export const artifacts = `
drop table artifact_chunks;
delete from artifacts;
create sequence artifact_contents;
alter table artifacts add column content bigint not null unique;

create table artifact_uploads(content bigint primary key, touched_at bigint not null);

create table artifact_chunks(
  content bigint not null, no bigint not null, bytes bytea not null, primary key(content, no));
alter table artifact_chunks alter column bytes set storage external;

create function pawl_refuse_artifact(what text) returns bigint language plpgsql as $$
begin
  raise exception using errcode = 'PW002', message = what;
end $$;
`;
