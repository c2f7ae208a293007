/**
 * What a lane's program tells of its turn, in one form for all programs and drivers (DESIGN §7).
 * Every one of these is a claim: a stop reason is not a verdict and the status of a tool is a hint.
 * The raw lines stay the record; this is what the host acts on and shows.
 */
import type { Usage } from '../domain/execution/state.ts';

export type LaneEvent =
  /** It is there, with what it said of itself; `mode`: its permission mode as it was read back. */
  | {
      readonly kind: 'started';
      readonly version: string | null;
      readonly model: string | null;
      readonly mode: string | null;
    }
  /** What its conversation is called, for a later turn to go on with. */
  | { readonly kind: 'session'; readonly id: string }
  /** A piece of what it says; `isWhole`: all of a message; `isFirst`: what begins one, if told. */
  | {
      readonly kind: 'text';
      readonly text: string;
      readonly isWhole?: true;
      readonly isFirst?: true;
    }
  | { readonly kind: 'thought' }
  /**
   * Told once an id; `timeoutMs`: what the program itself allows the tool, when it said so;
   * `with`: what it is called with, in a few words for people.
   */
  | {
      readonly kind: 'tool_started';
      readonly id: string;
      readonly name: string;
      readonly timeoutMs: number | null;
      readonly with?: string;
    }
  /** `unknown`: the turn ended before the program said how its tool had. */
  | {
      readonly kind: 'tool_finished';
      readonly id: string;
      readonly status: 'completed' | 'failed' | 'unknown';
    }
  /** It waits for an answer; `digest` is the same for the same request made again. */
  | {
      readonly kind: 'permission';
      readonly request: string;
      readonly tool: string | null;
      readonly title: string;
      readonly digest: string;
    }
  /** It does not wait for the answer to that request any longer. */
  | { readonly kind: 'withdrawn'; readonly request: string }
  /** It asked for something and was refused by its own rules, without waiting. */
  | { readonly kind: 'denied'; readonly title: string; readonly digest: string }
  | { readonly kind: 'question'; readonly text: string }
  /** Cumulative within this execution. */
  | { readonly kind: 'usage'; readonly usage: Usage }
  /** A usage limit, from a structured signal alone; `until` null: it did not say. */
  | { readonly kind: 'limit'; readonly until: number | null; readonly detail: string }
  /** A failure that the program tells of; it may still try again. */
  | { readonly kind: 'error'; readonly detail: string }
  /** What became of a prompt that the program was not given at its start; `confirmed`: seen. */
  | { readonly kind: 'delivery'; readonly state: 'sent' | 'typed' | 'confirmed' | 'failed' }
  /** A sign of life that is no work: a heartbeat, a retry, a poll of a tool. */
  | { readonly kind: 'notice' }
  | { readonly kind: 'turn_finished'; readonly reason: string };
