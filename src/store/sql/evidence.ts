import { query } from '../query.ts';

export const insertEvidence = query<
  [
    execution: string,
    verb: string,
    reason: string,
    grantPresented: string | null,
    digest: string | null,
    at: number,
  ]
>(`insert into evidence(execution, verb, reason, grant_presented, digest, at, n)
values ($1, $2, $3, $4, $5, $6, 1)`);

export const countEvidence = query<[execution: string], { readonly rows: number }>(
  'select count(*) as rows from evidence where execution = $1',
);

/** When an execution's rows are used up, the newest one counts the rest. */
export const countOn = query<[execution: string, at: number]>(
  `update evidence set n = n + 1, at = $2
where id = (select max(id) from evidence where execution = $1)`,
);

export const evidenceOf = query<
  [execution: string],
  {
    readonly verb: string;
    readonly reason: string;
    readonly grant_presented: string | null;
    readonly digest: string | null;
    readonly at: number;
    readonly n: number;
  }
>(`select verb, reason, grant_presented, digest, at, n from evidence
where execution = $1 order by id`);
