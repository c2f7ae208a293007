import { query } from '../query.ts';

/** One puller wins; an offer that has lapsed may be made again. */
export const offerExecution = query<[id: string, now: number, until: number]>(
  `update executions set offered_until = $3
where id = $1 and status = 'DISPATCHED' and (offered_until is null or offered_until <= $2)`,
);
