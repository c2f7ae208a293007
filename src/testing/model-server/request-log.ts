import type { ApiName } from './api.ts';
import type { FailureName } from './failures.ts';
import type { Answer, ModelRequest } from './script.ts';

/** A request that was answered by the script, or kept from its answer by a failure. */
export interface AnsweredRequest {
  readonly prefix: string;
  readonly api: ApiName;
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** As it came. */
  readonly body: string;
  readonly request: ModelRequest;
  readonly answer: Answer;
  /** Null when the answer was sent whole. */
  readonly failure: FailureName | null;
}

export interface RequestLog {
  add(request: AnsweredRequest): void;
  newest(): readonly AnsweredRequest[];
}

/** Keeps the newest requests within both bounds; the newest of all is always kept. */
export function requestLog(bounds: {
  readonly requestsMax: number;
  readonly charactersMax: number;
}): RequestLog {
  const kept: AnsweredRequest[] = [];
  let characters = 0;
  const isOver = () =>
    kept.length > 1 && (kept.length > bounds.requestsMax || characters > bounds.charactersMax);
  return {
    add(request) {
      kept.push(request);
      characters += request.body.length;
      while (isOver()) characters -= kept.shift()?.body.length ?? 0;
    },
    newest: () => [...kept],
  };
}
