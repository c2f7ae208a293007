/** Gemini: cumulative figures on its chunks; reasoning is told beside the output, not inside it. */

import { amountOf, type Fields, fieldsOf, isFields, listOf, textOf } from '../../kernel/json.ts';
import type { CallTokens } from '../../ports/models-door.ts';
import { type Answer, type AnswerReader, bytesOf, merged, sawTool } from './answer.ts';

function fold(answer: Answer, event: Fields): Answer {
  const candidates = listOf(event['candidates']).map(fieldsOf);
  const usage = event['usageMetadata'];
  const isBlocked = textOf(fieldsOf(event['promptFeedback'])['blockReason']) !== null;
  const isFinished = candidates.some((one) => textOf(one['finishReason']) !== null);
  const told = isFields(usage) ? merged(answer.told, usage) : answer.told;
  const isTerminal = answer.isTerminal || isBlocked || isFinished;
  return candidates.reduce(withCandidate, {
    ...answer,
    model: textOf(event['modelVersion']) ?? answer.model,
    told,
    isTerminal,
    isSettled: isTerminal && told !== null,
  });
}

function withCandidate(answer: Answer, candidate: Fields): Answer {
  const parts = listOf(fieldsOf(candidate['content'])['parts']).map(fieldsOf);
  const said = parts.reduce((sum, part) => sum + partBytes(part), 0);
  const seen = { ...answer, textBytes: answer.textBytes + said };
  const grounded = isFields(candidate['groundingMetadata']) ? ['groundingMetadata'] : [];
  const fetched = isFields(candidate['urlContextMetadata']) ? ['urlContextMetadata'] : [];
  const ran = parts.some((part) => isFields(part['executableCode'])) ? ['codeExecution'] : [];
  return [...grounded, ...fetched, ...ran].reduce(sawTool, seen);
}

function partBytes(part: Fields): number {
  const call = part['functionCall'];
  return bytesOf(textOf(part['text']), isFields(call) ? JSON.stringify(call) : null);
}

function tokens(told: Fields): CallTokens | null {
  const prompt = amountOf(told['promptTokenCount']);
  const candidates = amountOf(told['candidatesTokenCount']);
  if (prompt === null && candidates === null) return null;
  const whole = (prompt ?? 0) + (amountOf(told['toolUsePromptTokenCount']) ?? 0);
  const cacheRead = Math.min(amountOf(told['cachedContentTokenCount']) ?? 0, whole);
  const reasoning = amountOf(told['thoughtsTokenCount']) ?? 0;
  return {
    input: whole - cacheRead,
    cacheRead,
    cacheWrite: 0,
    output: (candidates ?? 0) + reasoning,
    reasoning,
    cacheWriteHour: 0,
  };
}

export const gemini: AnswerReader = { fold, tokens };
