/**
 * What the scripted model says. A script is a list of turns per path prefix, so that many programs
 * can talk to one server without meeting; a turn names the *kind* of tool it wants and is fitted to
 * the tools that the request itself offers, as every agent program names and shapes its own.
 */

import type { Fields } from '../../kernel/json.ts';
import type { Failing } from './failures.ts';
import { fitTool } from './fit-tool.ts';
import { sampleOf } from './schema-sample.ts';
import type { OfferedTool, ToolCall, ToolWish } from './tool.ts';

export interface TurnUsage {
  /** All input, what was read from and written to a cache included. */
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly cacheWriteTokens?: number;
  /** All output, reasoning included. */
  readonly outputTokens: number;
  readonly reasoningTokens?: number;
}

export interface Turn {
  /** Reasoning that comes before the text. */
  readonly thought?: string;
  readonly text?: string;
  readonly tool?: ToolWish;
  /** Why the model stopped, other than having said all: its length, or a refusal of the vendor. */
  readonly stop?: 'length' | 'refusal';
  readonly usage?: TurnUsage;
  /** How the answer goes wrong, and how often before it goes right. */
  readonly fails?: Failing;
}

/** The turn that answers a request; `turn` counts from 0 within the conversation of the request. */
export type Turns = readonly Turn[] | ((request: ModelRequest, turn: number) => Turn);

/** Path prefix (`/s/one`; empty: every path) → what is said there. The longest match wins. */
export type Script = Readonly<Record<string, Turns>>;

/** A request, whatever its API. */
export interface ModelRequest {
  readonly model: string;
  readonly isStreamed: boolean;
  readonly tools: readonly OfferedTool[];
  /** The newest message of the user, as plain text. */
  readonly userText: string;
  /** What the newest tool call gave back; null when the conversation does not end with one. */
  readonly toolText: string | null;
  /** How many turns of ours the conversation already holds. */
  readonly turnsSoFar: number;
  /** The JSON schema that the answer has to fit; null when any text will do. */
  readonly schema: Fields | null;
}

/** What is sent, before it takes the shape of an API. */
export interface Answer {
  readonly id: string;
  readonly model: string;
  readonly thought: string;
  readonly text: string;
  readonly call: ToolCall | null;
  readonly stop: 'end' | 'call' | 'length' | 'refusal';
  readonly usage: Required<TurnUsage>;
  readonly fails: Failing | null;
}

export const usualUsage: Required<TurnUsage> = {
  inputTokens: 1234,
  cachedTokens: 20,
  cacheWriteTokens: 0,
  outputTokens: 56,
  reasoningTokens: 0,
};
const callPrefix = 'call_turn_';

/** The turn whose call an id belongs to; null for an id that is not ours. */
export function turnOfCall(id: unknown): number | null {
  const digits =
    typeof id === 'string' && id.startsWith(callPrefix) ? id.slice(callPrefix.length) : '';
  return /^\d{1,9}$/.test(digits) ? Number(digits) : null;
}

/**
 * How many turns the messages of ours hold, each given as the ids of its calls: a call of ours
 * names its own turn, and plain answers after it are counted.
 */
export function turnsIn(said: readonly (readonly unknown[])[]): number {
  return said.reduce<number>((turns, ids) => {
    const known = ids.map(turnOfCall).find((turn) => turn !== null);
    return known === undefined || known === null ? turns + 1 : known + 1;
  }, 0);
}

/** Pure: the same conversation always gets the same answer, so a retried request does too. */
export function answer(turns: Turns, request: ModelRequest): Answer {
  const number = request.turnsSoFar;
  const turn = turnFor(turns, request, number);
  const fitted = turn.tool === undefined ? null : fitTool(turn.tool, request.tools);
  const missing = turn.tool !== undefined && fitted === null;
  const offered = request.tools.map(({ name }) => name).join(', ');
  return {
    id: `turn_${number}`,
    model: request.model,
    thought: turn.thought ?? '',
    text: missing ? `No offered tool can do this. Offered: ${offered}` : (turn.text ?? ''),
    call: fitted === null ? null : { ...fitted, id: `${callPrefix}${number}` },
    stop: turn.stop ?? (fitted === null ? 'end' : 'call'),
    usage: { ...usualUsage, ...turn.usage },
    fails: turn.fails ?? null,
  };
}

/**
 * A request without tools is a side errand of the program (a title, a route): no turn is spent.
 */
function turnFor(turns: Turns, request: ModelRequest, number: number): Turn {
  if (typeof turns === 'function') return turns(request, number);
  if (request.tools.length === 0) return { text: sideAnswer(request.schema) };
  return turns[number] ?? { text: 'Nothing more is scripted.' };
}

/** What answers a side errand. */
export function sideAnswer(schema: Fields | null): string {
  return schema === null ? 'A short title' : JSON.stringify(sampleOf(schema));
}
