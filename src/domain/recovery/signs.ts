/**
 * What a lane was last seen to do: told by its host with every beat, and kept with the end of an
 * execution that left no result, so that whoever asks later why it ended has more than a class.
 */
import { fieldsOf, numberOf, parsedJson, textOf } from '../../kernel/json.ts';
import type { Instant } from '../ids.ts';

/** Instants by the clock of the lane's host; null: not known, or there was none. */
export interface LastSigns {
  readonly state: string;
  readonly reason: string | null;
  readonly delivery: string | null;
  /** How long it was stalled in its execution, in all. */
  readonly stalledMs: number;
  /** When it last printed, changed a file of its work tree, used the processor. */
  readonly outputAt: Instant | null;
  readonly fileAt: Instant | null;
  readonly cpuAt: Instant | null;
}

/** The question that nobody waits for any more, though it may still be asked; null: none. */
export function withdrawnIn(signals: string | null): string | null {
  return signals === null ? null : textOf(fieldsOf(parsedJson(signals))['withdrawn']);
}

const wordMax = 40;

/** Signals are a host's word, and so outside data: what is not of its type was not said. */
export function signsIn(signals: string | null): LastSigns | null {
  if (signals === null) return null;
  const told = fieldsOf(parsedJson(signals));
  const word = (name: string) => textOf(told[name])?.slice(0, wordMax) ?? null;
  const at = (name: string) => numberOf(told[name]) as Instant | null;
  const state = word('state');
  if (state === null) return null;
  return {
    state,
    reason: word('reason'),
    delivery: word('delivery'),
    stalledMs: numberOf(told['stalledMs']) ?? 0,
    outputAt: at('lastOutputAt'),
    fileAt: at('lastFileAt'),
    cpuAt: at('lastCpuAt'),
  };
}
