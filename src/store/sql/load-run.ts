import { query } from '../query.ts';

/** All that a decision needs; its size does not depend on the length of the history. */
export const loadRun = query<
  [id: string],
  {
    readonly seq: number;
    readonly version: number;
    readonly head: Uint8Array;
    readonly state: string;
  }
>('select seq, version, head, state from runs where id = $1');
