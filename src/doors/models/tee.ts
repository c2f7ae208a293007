/**
 * Reads an answer while its bytes pass: every event of a stream, or one body at its end. Bounded:
 * what is too large is not read, and the call is then estimated.
 */

import { isFields, parsedJson } from '../../kernel/json.ts';
import type { CallTokens, ModelApi } from '../../ports/models-door.ts';
import { type Answer, type AnswerReader, noTokens, nothingSaid } from './answer.ts';
import { anthropic } from './anthropic.ts';
import { chat } from './chat.ts';
import { gemini } from './gemini.ts';
import { responses } from './responses.ts';
import { eventReader } from './sse.ts';

const readers: Readonly<Record<ModelApi, AnswerReader>> = { anthropic, chat, responses, gemini };
/** A body that is not streamed; the largest measured is far below. */
const bodyBytesMax = 16 * 1024 * 1024;
/** Of text per token: a floor for most languages and for code. */
const bytesPerToken = 4;

export interface Tee {
  push(bytes: Uint8Array): void;
  /** Nothing more comes. What was read is final. */
  end(): TeeReport;
}

export interface TeeReport {
  readonly model: string | null;
  readonly isTerminal: boolean;
  /** A stream that was read through: without its proper end it is broken. */
  readonly wantsEnd: boolean;
  readonly tokens: CallTokens;
  readonly isExact: boolean;
  readonly serverTools: readonly string[];
}

export interface TeeOptions {
  readonly api: ModelApi;
  /** `opaque`: an encoding that cannot be read on the way; its bytes are counted. */
  readonly form: 'stream' | 'body' | 'opaque';
  /** Of the request; what its input is estimated from when the answer never told it. */
  readonly requestBytes: number;
}

export function tee(options: TeeOptions): Tee {
  if (options.form === 'opaque') return opaqueTee(options);
  return options.form === 'stream' ? streamTee(options) : bodyTee(options);
}

function streamTee(options: TeeOptions): Tee {
  const reader = readers[options.api];
  const events = eventReader();
  let answer = nothingSaid;
  const take = (data: string) => {
    if (data === reader.endWord) answer = { ...answer, isTerminal: true };
    else answer = folded(reader, answer, data);
  };
  return {
    push(bytes) {
      for (const data of events.push(bytes)) take(data);
    },
    end() {
      for (const data of events.end()) take(data);
      return report(options, answer, !events.gaveUp());
    },
  };
}

function bodyTee(options: TeeOptions): Tee {
  const reader = readers[options.api];
  let chunks: Uint8Array[] = [];
  let bytes = 0;
  return {
    push(chunk) {
      bytes += chunk.byteLength;
      if (bytes <= bodyBytesMax) chunks.push(chunk);
      else chunks = [];
    },
    end() {
      const wasRead = bytes <= bodyBytesMax;
      const source = Buffer.concat(chunks).toString('utf8');
      chunks = [];
      return report(options, folded(reader, nothingSaid, source), wasRead);
    },
  };
}

function opaqueTee(options: TeeOptions): Tee {
  let textBytes = 0;
  return {
    push(chunk) {
      textBytes += chunk.byteLength;
    },
    end: () => report(options, { ...nothingSaid, textBytes }, false),
  };
}

/** Gemini streams without `alt=sse` as one list. What is not JSON, or no record, says nothing. */
function folded(reader: AnswerReader, answer: Answer, source: string): Answer {
  const value = parsedJson(source);
  const events = Array.isArray(value) ? value : [value];
  return events.filter(isFields).reduce(reader.fold, answer);
}

/**
 * Exact when the answer told its final figures. Else input as far as it was told, or by the bytes
 * of the request, and output by the bytes that were streamed: never nothing (§3).
 */
function report(options: TeeOptions, answer: Answer, wasRead: boolean): TeeReport {
  const told = answer.told === null ? null : readers[options.api].tokens(answer.told);
  const isExact = told !== null && answer.isSettled && wasRead;
  return {
    model: answer.model,
    isTerminal: answer.isTerminal,
    wantsEnd: wasRead && options.form === 'stream',
    tokens: isExact ? told : estimated(options, answer, told),
    isExact,
    serverTools: answer.serverTools,
  };
}

function estimated(options: TeeOptions, answer: Answer, told: CallTokens | null): CallTokens {
  const streamed = Math.ceil(answer.textBytes / bytesPerToken);
  const base = told ?? { ...noTokens, input: inputEstimate(options.requestBytes) };
  return { ...base, output: Math.max(base.output, streamed) };
}

export function inputEstimate(requestBytes: number): number {
  return Math.ceil(requestBytes / bytesPerToken);
}
