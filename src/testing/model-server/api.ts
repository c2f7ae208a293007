import type { Json } from './json.ts';
import type { Answer, ModelRequest } from './script.ts';

/** One server-sent event; `event` is null where the API sends bare data lines. */
export interface ServerEvent {
  readonly event: string | null;
  readonly data: Json | '[DONE]';
}

/** A model API: how its requests are read, and how an answer looks, whole and streamed. */
export interface Api {
  readonly name: 'chat' | 'responses';
  /** What its paths end with. */
  readonly path: string;
  read(body: Json): ModelRequest;
  whole(answer: Answer): Json;
  stream(answer: Answer): readonly ServerEvent[];
}

/** Pieces of at most 12 characters, never through the middle of one. */
export function pieces(text: string): readonly string[] {
  const characters = [...text];
  const count = Math.ceil(characters.length / 12);
  return Array.from({ length: count }, (_, n) => characters.slice(n * 12, n * 12 + 12).join(''));
}
