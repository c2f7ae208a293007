/**
 * What an answer says about itself, gathered from its events (or its one body) as they pass: usage,
 * model, whether it came to its proper end, and what a provider's own tool did in it.
 */

import type { Fields } from '../../kernel/json.ts';
import type { CallTokens } from '../../ports/models-door.ts';

export interface Answer {
  /** Null until the answer told it. */
  readonly model: string | null;
  /** What was told so far, in the API's own words; null: nothing yet. */
  readonly told: Fields | null;
  /** The answer's proper end was seen. Without it an answer is broken, however its bytes ended. */
  readonly isTerminal: boolean;
  /** The told figures are final, not those of a beginning. */
  readonly isSettled: boolean;
  /** Bytes of text, reasoning and tool arguments that were streamed. */
  readonly textBytes: number;
  /** Tools that ran at the provider. */
  readonly serverTools: readonly string[];
}

export const nothingSaid: Answer = {
  model: null,
  told: null,
  isTerminal: false,
  isSettled: false,
  textBytes: 0,
  serverTools: [],
};

/** One API's way to read its answers; both functions are pure and take any shape of JSON. */
export interface AnswerReader {
  /** One event of a stream, or the whole body. */
  fold(answer: Answer, event: Fields): Answer;
  /** The told figures as disjoint counts; null when they say nothing. */
  tokens(told: Fields): CallTokens | null;
  /** The word that ends a stream without being JSON, if the API has one. */
  readonly endWord?: string;
}

export const noTokens: CallTokens = {
  input: 0,
  cacheRead: 0,
  cacheWrite: 0,
  output: 0,
  reasoning: 0,
  cacheWriteHour: 0,
};

const toolsMax = 20;

export function sawTool(answer: Answer, tool: string): Answer {
  const { serverTools } = answer;
  if (serverTools.includes(tool) || serverTools.length >= toolsMax) return answer;
  return { ...answer, serverTools: [...serverTools, tool.slice(0, 100)] };
}

/** Later values replace earlier ones, unless they are null: a figure is never unsaid (§3). */
export function merged(told: Fields | null, later: Fields): Fields {
  const said = Object.entries(later).filter(([, value]) => value !== null && value !== undefined);
  return { ...told, ...Object.fromEntries(said) };
}

export function bytesOf(...texts: readonly (string | null)[]): number {
  return texts.reduce((sum, one) => sum + (one === null ? 0 : Buffer.byteLength(one)), 0);
}
