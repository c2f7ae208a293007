import { query } from '../query.ts';

/** Of a whole store; the partial index of the open runs counts those that live. */
export const storeCounts = query<
  [],
  { readonly runs: number; readonly living: number; readonly events: number }
>(`select (select count(*) from runs) as runs,
  (select count(*) from runs where status not in ('complete', 'cancelled')) as living,
  (select count(*) from events) as events`);
