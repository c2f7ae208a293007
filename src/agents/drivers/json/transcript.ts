/**
 * What the lines of one program mean. Each program has a transcript of its own: a pure step from
 * one parsed line to what it tells; what all of them share (which tools are open, what the turn
 * came to) is the driver's.
 */
import type { LaneEvent } from '../../../ports/lane-event.ts';
import type { ToldFailure } from '../failure.ts';
import type { Fields } from '../fields.ts';

type Passed = Exclude<LaneEvent['kind'], 'turn_finished' | 'limit' | 'permission' | 'question'>;

export type Told =
  | Extract<LaneEvent, { readonly kind: Passed }>
  /** The newest whole answer; the last one stands as the text of the turn. */
  | { readonly kind: 'answer'; readonly text: string }
  /** The program's own word that its turn is over. A later one stands over an earlier one. */
  | { readonly kind: 'ended'; readonly reason: string; readonly failure: ToldFailure | null };

/** Null: no line of this program is like that. Never throws. */
export type Step<S> = (
  state: S,
  line: Fields,
) => { readonly state: S; readonly told: readonly Told[] } | null;

export interface Transcript<S> {
  readonly first: S;
  readonly step: Step<S>;
  /**
   * The mode that was set, as the program calls it; null: it is not told, so it is not compared.
   */
  readonly mode: string | null;
}
