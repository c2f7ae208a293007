/** Branches that moved since runs were landed on them: a human asked for that, no agent did it. */
import type { Commit } from '../ports/words.ts';
import { allRecords } from './records.ts';
import type { Place } from './repository.ts';

export type IsOwnMove = (branch: string, was: string, is: string) => boolean;

/** Whether nothing but landings led from the one to the other, as far as their trees are kept. */
export async function ownLandings(place: Place): Promise<IsOwnMove> {
  const landings = (await allRecords(place.home)).flatMap(({ landed }) => landed ?? []);
  return (branch, was, is) => {
    const steps = new Map<string, Commit>();
    for (const { commit, from, into } of landings) {
      const isMove = from !== undefined && from !== commit;
      if (into === branch && isMove) steps.set(commit, from);
    }
    let at = is;
    for (let n = 0; n < steps.size && at !== was; n += 1) at = steps.get(at) ?? at;
    return at === was;
  };
}
