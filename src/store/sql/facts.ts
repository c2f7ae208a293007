import { query } from '../query.ts';

export const factByKey = query<[key: string], { readonly value: string }>(
  'select value from meta where key = $1',
);

export const factsFrom = query<
  [from: string, to: string, limit: number],
  { readonly key: string; readonly value: string }
>(`select key, value from meta where key >= $1 and key < $2 order by key limit $3`);

export const addFact = query<[key: string, value: string]>(
  'insert into meta(key, value) values ($1, $2) on conflict(key) do nothing',
);

export const changeFact = query<[key: string, expected: string, value: string]>(
  'update meta set value = $3 where key = $1 and value = $2',
);

export const removeFact = query<[key: string, expected: string]>(
  'delete from meta where key = $1 and value = $2',
);
