/** Gemini: cumulative figures on its chunks; reasoning is told beside the output, not inside it. */
import type { CallTokens } from '../../ports/models-door.ts';
import { type Answer, type AnswerReader, bytesOf, merged, sawTool } from './answer.ts';
import { count, isRecord, type Json, list, record, text } from './json.ts';

function fold(answer: Answer, event: Json): Answer {
  const candidates = list(event['candidates']).map(record);
  const usage = event['usageMetadata'];
  const isBlocked = text(record(event['promptFeedback'])['blockReason']) !== null;
  const isFinished = candidates.some((one) => text(one['finishReason']) !== null);
  const told = isRecord(usage) ? merged(answer.told, usage) : answer.told;
  const isTerminal = answer.isTerminal || isBlocked || isFinished;
  return candidates.reduce(withCandidate, {
    ...answer,
    model: text(event['modelVersion']) ?? answer.model,
    told,
    isTerminal,
    isSettled: isTerminal && told !== null,
  });
}

function withCandidate(answer: Answer, candidate: Json): Answer {
  const parts = list(record(candidate['content'])['parts']).map(record);
  const said = parts.reduce((sum, part) => sum + partBytes(part), 0);
  const seen = { ...answer, textBytes: answer.textBytes + said };
  const grounded = isRecord(candidate['groundingMetadata']) ? ['groundingMetadata'] : [];
  const fetched = isRecord(candidate['urlContextMetadata']) ? ['urlContextMetadata'] : [];
  const ran = parts.some((part) => isRecord(part['executableCode'])) ? ['codeExecution'] : [];
  return [...grounded, ...fetched, ...ran].reduce(sawTool, seen);
}

function partBytes(part: Json): number {
  const call = part['functionCall'];
  return bytesOf(text(part['text']), isRecord(call) ? JSON.stringify(call) : null);
}

function tokens(told: Json): CallTokens | null {
  const prompt = count(told['promptTokenCount']);
  const candidates = count(told['candidatesTokenCount']);
  if (prompt === null && candidates === null) return null;
  const whole = (prompt ?? 0) + (count(told['toolUsePromptTokenCount']) ?? 0);
  const cacheRead = Math.min(count(told['cachedContentTokenCount']) ?? 0, whole);
  const reasoning = count(told['thoughtsTokenCount']) ?? 0;
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
