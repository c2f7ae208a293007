/**
 * What the lines of one program mean. Each program has a transcript of its own: a pure step from
 * one parsed line to what it tells; what all of them share (which tools are open, what the turn
 * came to) is the driver's.
 */

import type { Fields } from '../../../kernel/json.ts';
import type { LaneEvent } from '../../../ports/lane-event.ts';
import type { ToldFailure } from '../failure.ts';

type Passed = Exclude<LaneEvent['kind'], 'turn_finished' | 'limit' | 'question'>;

export type Told =
  | Exclude<Extract<LaneEvent, { readonly kind: Passed }>, { readonly kind: 'permission' }>
  /** It waits for an answer; `input`: what it wants to call its tool with. */
  | (Extract<LaneEvent, { readonly kind: 'permission' }> & { readonly input: unknown })
  /** It asks something, and waits; its turn ends with that. */
  | { readonly kind: 'question'; readonly text: string; readonly request: string }
  /** It waits for what nobody can give it here. */
  | { readonly kind: 'unknown_request'; readonly request: string }
  /** The newest whole answer; the last one stands as the text of the turn. */
  | { readonly kind: 'answer'; readonly text: string }
  /** Its turn failed, unless it goes on: this stands when it leaves without another word. */
  | { readonly kind: 'failing'; readonly failure: ToldFailure }
  /**
   * The program's own word that its turn is over; `isCut`: by a bound of its own. A later one
   * stands over an earlier one.
   */
  | {
      readonly kind: 'ended';
      readonly reason: string;
      readonly failure: ToldFailure | null;
      readonly isCut?: boolean;
    };

/** Null: no line of this program is like that. Never throws. */
export type Step<S> = (
  state: S,
  line: Fields,
) => { readonly state: S; readonly told: readonly Told[] } | null;

/** How one speaks with a program that listens on its stdin while it works; each is a line. */
export interface Speech {
  readonly begin: string;
  readonly cancel: string;
  /** `end`: denied, and its turn is to end with that; `unknown`: there is no such thing here. */
  answer(request: string, how: 'allow' | 'deny' | 'end' | 'unknown', input: unknown): string;
}

export interface Transcript<S> {
  readonly first: S;
  readonly step: Step<S>;
  /**
   * The mode that was set, as the program calls it; null: it is not told, so it is not compared.
   */
  readonly mode: string | null;
  /** Absent: its stdin is its prompt, and is closed after it. */
  readonly speech?: Speech;
}
