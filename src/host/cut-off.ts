/**
 * A lane host whose store was migrated by a later program, which takes nothing that it says
 * (design/store.md, "Format"). It keeps its lane and seals into its spool; until then each beat is
 * left there, so that the driver of the later program sees that it lives, and beats for it.
 *
 * Nobody can answer what its lane asks leave for, so that is denied.
 */
import type { GrantId } from '../domain/ids.ts';
import type { CutBeat } from '../ports/lanes.ts';
import type { Plane, PlaneAnswer } from '../ports/plane.ts';
import type { OpenExecution } from '../ports/store.ts';
import { readFact, type Spool } from './spool.ts';

export interface CutOff {
  /** The store has refused this beat, as of an earlier program. */
  readonly beat: (beat: CutBeat) => void;
  /** As `plane.ask`; once it is cut off every question is refused. */
  readonly ask: Plane['ask'];
}

export interface CutOffMeans {
  readonly spool: Pick<Spool, 'write'>;
  readonly ask: Plane['ask'];
  /** Called with each beat: what waits for an answer waits in vain. */
  readonly unanswered: () => void;
  readonly onFailure: (error: unknown) => void;
}

const refused: PlaneAnswer = { ok: false, reason: 'store_newer' };

export function cutOff({ spool, ask, unanswered, onFailure }: CutOffMeans): CutOff {
  let isCut = false;
  return {
    beat: ({ grantId, beat, signals, usage }) => {
      isCut = true;
      unanswered();
      try {
        spool.write('cut', { grantId, beat, signals, usage } satisfies CutBeat);
      } catch (error: unknown) {
        onFailure(error);
      }
    },
    ask: (message) => (isCut ? Promise.resolve(refused) : ask(message)),
  };
}

/** The last beat that it left under its lease; null: the store takes its beats. */
export function cutBeatOf({ lease }: Pick<OpenExecution, 'lease'>, spool: string): CutBeat | null {
  const cut = readFact<Partial<CutBeat>>(spool, 'cut');
  if (cut === null || lease === null || cut.grantId !== lease.grantId) return null;
  const { grantId, beat, signals, usage = null } = cut;
  if (typeof beat !== 'number' || typeof signals !== 'string') return null;
  return { grantId: grantId as GrantId, beat, signals, usage };
}
