/**
 * Gemini's `generateContent`. Model and streaming are said by the path; a chunk with a
 * `finishReason` is what a client waits for.
 */

import { type Fields, fieldsOf } from '../../kernel/json.ts';
import { type Api, pieces, type ServerEvent } from './api.ts';
import { list, parameters, text } from './json.ts';
import { type Answer, type ModelRequest, turnsIn } from './script.ts';
import type { OfferedTool } from './tool.ts';

const path = /\/models\/([^/:]+):(stream)?generateContent$/i;

function read(body: Fields, at: string): ModelRequest {
  const contents = list(body['contents']);
  const [, model, streamed] = path.exec(at) ?? [];
  const results = partsWith(contents.at(-1) ?? {}, 'functionResponse');
  const user = contents.findLast(isUserText);
  const ours = contents.filter(({ role }) => role === 'model');
  return {
    model: model ?? '',
    isStreamed: streamed !== undefined,
    tools: list(body['tools']).flatMap(offered),
    userText: textOf(user ?? {}),
    toolText: results.length === 0 ? null : results.map(resultText).join('\n'),
    turnsSoFar: turnsIn(ours.map((content) => partsWith(content, 'functionCall').map(idOf))),
    schema: schemaOf(fieldsOf(body['generationConfig'])),
  };
}

function partsWith(content: Fields, name: string): readonly Fields[] {
  return list(content['parts']).flatMap((part) => (name in part ? [fieldsOf(part[name])] : []));
}

const idOf = (call: Fields) => call['id'];

const textOf = (content: Fields) =>
  list(content['parts'])
    .map((part) => text(part['text']))
    .filter((said) => said !== '')
    .join('\n');

const isUserText = (content: Fields) =>
  content['role'] !== 'model' && partsWith(content, 'functionResponse').length === 0;

/** By convention `output` holds the result; a tool may answer any object instead. */
function resultText(result: Fields): string {
  const response = fieldsOf(result['response']);
  return text(response['output']) || JSON.stringify(response);
}

function offered(tool: Fields): readonly OfferedTool[] {
  const declared = tool['functionDeclarations'] ?? tool['function_declarations'];
  return list(declared).map((called) => ({
    name: text(called['name']),
    namespace: null,
    parameters: parameters(called['parametersJsonSchema'] ?? called['parameters']),
  }));
}

function schemaOf(config: Fields): Fields | null {
  const schema = config['responseJsonSchema'] ?? config['responseSchema'];
  return schema === undefined ? null : fieldsOf(schema);
}

/** Reasoning is counted beside the candidates, not inside them. */
function usageMetadata({ usage }: Answer): Fields {
  return {
    promptTokenCount: usage.inputTokens,
    cachedContentTokenCount: usage.cachedTokens,
    candidatesTokenCount: usage.outputTokens - usage.reasoningTokens,
    ...(usage.reasoningTokens === 0 ? {} : { thoughtsTokenCount: usage.reasoningTokens }),
    totalTokenCount: usage.inputTokens + usage.outputTokens,
  };
}

/** A call is an ordinary way to stop here. */
const finishes = { end: 'STOP', call: 'STOP', length: 'MAX_TOKENS', refusal: 'SAFETY' };

function chunk(answer: Answer, parts: readonly Fields[], finishReason?: string): Fields {
  const content = { role: 'model', parts };
  return {
    candidates: [{ index: 0, content, ...(finishReason === undefined ? {} : { finishReason }) }],
    usageMetadata: usageMetadata(answer),
    modelVersion: answer.model,
    responseId: answer.id,
  };
}

/** A call comes in one piece: this API does not stream arguments. */
function callParts({ call }: Answer): readonly Fields[] {
  if (call === null) return [];
  const { id, name, args } = call;
  return [{ functionCall: { id, name, args: JSON.parse(args) } }];
}

function whole(answer: Answer): Fields {
  const parts = [
    ...(answer.thought === '' ? [] : [{ text: answer.thought, thought: true }]),
    ...(answer.text === '' ? [] : [{ text: answer.text }]),
    ...callParts(answer),
  ];
  return chunk(answer, parts, finishes[answer.stop]);
}

function stream(answer: Answer): readonly ServerEvent[] {
  const chunks = [
    ...pieces(answer.thought).map((said) => chunk(answer, [{ text: said, thought: true }])),
    ...pieces(answer.text).map((said) => chunk(answer, [{ text: said }])),
    ...callParts(answer).map((part) => chunk(answer, [part])),
    chunk(answer, [{ text: '' }], finishes[answer.stop]),
  ];
  return chunks.map((data) => ({ event: null, data }));
}

export const gemini: Api = {
  name: 'gemini',
  path,
  read,
  whole,
  stream,
  streamError: {
    event: null,
    data: { error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } },
  },
};
