import { query } from '../query.ts';

export const getMeta = query<[key: string], { readonly value: string }>(
  'select value from meta where key = $1',
);

export const setMeta = query<[key: string, value: string]>(
  `insert into meta(key, value) values ($1, $2)
on conflict(key) do update set value = excluded.value`,
);

export const appliedMigrations = query<[], { readonly key: string; readonly value: string }>(
  "select key, value from meta where key >= 'migration:' and key < 'migration;'",
);
