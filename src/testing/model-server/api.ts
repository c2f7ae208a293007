import type { Fields } from '../../kernel/json.ts';
import type { Answer, ModelRequest } from './script.ts';

export type ApiName = 'anthropic' | 'chat' | 'responses' | 'gemini';

/** One server-sent event; `event` is null where the API sends bare data lines. */
export interface ServerEvent {
  readonly event: string | null;
  readonly data: Fields | '[DONE]';
}

/** A model API: how its requests are read, and how an answer looks, whole and streamed. */
export interface Api {
  readonly name: ApiName;
  /** What its paths end with. */
  readonly path: RegExp;
  /** `path` is without its query. */
  read(body: Fields, path: string): ModelRequest;
  whole(answer: Answer): Fields;
  /** `body` is the request's own: what is streamed may depend on what it asked for. */
  stream(answer: Answer, body: Fields): readonly ServerEvent[];
  /** How it says, in a stream that has begun, that it cannot go on. */
  readonly streamError: ServerEvent;
}

/** Pieces of at most 12 characters, never through the middle of one. */
export function pieces(text: string): readonly string[] {
  const characters = [...text];
  const count = Math.ceil(characters.length / 12);
  return Array.from({ length: count }, (_, n) => characters.slice(n * 12, n * 12 + 12).join(''));
}
