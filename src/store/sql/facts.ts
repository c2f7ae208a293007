import { query } from '../query.ts';

export const factByKey = query<[key: string], { readonly value: string }>(
  'select value from meta where key = $1',
);

export const factsFrom = query<
  [prefix: string, limit: number],
  { readonly key: string; readonly value: string }
>(`select key, value from meta where substr(key, 1, length($1)) = $1 order by key limit $2`);

export const addFact = query<[key: string, value: string]>(
  'insert into meta(key, value) values ($1, $2) on conflict(key) do nothing',
);

export const changeFact = query<[key: string, expected: string, value: string]>(
  'update meta set value = $3 where key = $1 and value = $2',
);

export const removeFact = query<[key: string, expected: string]>(
  'delete from meta where key = $1 and value = $2',
);
