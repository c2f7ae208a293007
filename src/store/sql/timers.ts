import { query } from '../query.ts';

export const putTimer = query<[stream: number, kind: string, generation: number, dueAt: number]>(
  `insert into timers(stream, kind, generation, due_at) values ($1, $2, $3, $4)
on conflict(stream, kind) do update set generation = excluded.generation,
  due_at = excluded.due_at`,
);

export const dropTimer = query<[stream: number, kind: string]>(
  'delete from timers where stream = $1 and kind = $2',
);

export interface TimerColumns {
  readonly run: string;
  readonly kind: string;
  readonly generation: number;
  readonly due_at: number;
}

export const timersDue = query<
  [now: number, limit: number],
  TimerColumns
>(`select streams.stream as run, timers.kind, timers.generation, timers.due_at
from timers join streams on streams.seq = timers.stream
where timers.due_at <= $1 order by timers.due_at, streams.stream limit $2`);

export const timersOf = query<
  [run: string],
  TimerColumns
>(`select streams.stream as run, timers.kind, timers.generation, timers.due_at
from streams join timers on timers.stream = streams.seq
where streams.stream = $1 order by timers.due_at`);

export const nextTimer = query<[], { readonly due_at: number | null }>(
  'select min(due_at) as due_at from timers',
);
