/** What a request asks for, as far as the door must know: read once, from a body of any shape. */

import {
  amountOf,
  type Fields,
  fieldsOf,
  isFields,
  parsedJson,
  textOf,
} from '../../kernel/json.ts';
import type { ModelApi } from '../../ports/models-door.ts';
import { isUnmetered, offersTools, serverTools } from './tool-types.ts';

export interface Asked {
  readonly model: string | null;
  readonly isStreamed: boolean;
  /** The most that the answer may be, where the request says. */
  readonly outputMax: number | null;
  readonly serverTools: readonly string[];
  /** Without any it is a side errand: a title, a summary. */
  readonly offersTools: boolean;
  readonly isUnmetered: boolean;
}

export interface AskedAt {
  readonly api: ModelApi;
  readonly path: string;
  /** In the path of Gemini's calls; null elsewhere. */
  readonly model: string | null;
  readonly encoding: string | undefined;
}

/** Null when it is not a plain JSON object: what cannot be read cannot be judged. */
export function askedIn(body: Buffer, at: AskedAt): Asked | null {
  if (at.encoding !== undefined && at.encoding !== 'identity') return null;
  const value = parsedJson(utf8(body) ?? '');
  if (!isFields(value)) return null;
  return {
    model: (at.model ?? textOf(value['model']))?.slice(0, 200) ?? null,
    isStreamed: at.api === 'gemini' ? at.path.includes(':stream') : value['stream'] === true,
    outputMax: outputMax(value),
    serverTools: serverTools(at.api, value),
    offersTools: offersTools(at.api, value),
    isUnmetered: isUnmetered(at.api, value),
  };
}

/** Null for bytes that another reader might decode to something else than we judge. */
function utf8(body: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch (error: unknown) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

function outputMax(body: Fields): number | null {
  const generation = fieldsOf(body['generationConfig'] ?? body['generation_config']);
  return (
    amountOf(body['max_tokens']) ??
    amountOf(body['max_completion_tokens']) ??
    amountOf(body['max_output_tokens']) ??
    amountOf(generation['maxOutputTokens'] ?? generation['max_output_tokens'])
  );
}
