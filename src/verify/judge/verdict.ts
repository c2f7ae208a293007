/**
 * Reads a judge's answer. It fails closed (ruling 5): a pass is the boolean true or the word
 * "true", never a truth value of something else (L-A17); what is not one clear verdict is
 * `unparseable`.
 */
import { type Fields, isFields } from '../../kernel/json.ts';
import { parseLenientJson } from './json-text.ts';

export type JudgeReading =
  | {
      readonly outcome: 'passed' | 'failed';
      /** 0..1; null when the judge gave no usable one: then it is out of the plateau history. */
      readonly score: number | null;
      /** True when the score was missing or no number; shown as 0.5 (SL-61). */
      readonly scoreFlagged: boolean;
      readonly reasons: readonly string[];
      readonly suggestedFix: string | null;
    }
  | { readonly outcome: 'unparseable'; readonly problem: string };

/** What a missing score is shown as. */
export const shownScore = (score: number | null): number => score ?? 0.5;

const reasonsMax = 10;
const reasonMax = 500;
/** More than this is not a verdict; it is not even looked at. */
const answerMax = 64 * 1024;

/** Never throws, whatever the text is. */
export function readVerdict(text: string): JudgeReading {
  if (text.trim() === '') return unparseable('the judge gave no answer');
  if (text.length > answerMax) return unparseable(`the answer is ${text.length} characters long`);
  const value = parseLenientJson(text);
  if (value === undefined) return unparseable('the answer is not one JSON object');
  if (!isFields(value)) return unparseable('the answer is JSON, but not an object');
  const pass = passOf(value);
  if (typeof pass === 'string') return unparseable(pass);
  const score = scoreOf(value['score']);
  return {
    outcome: pass ? 'passed' : 'failed',
    score,
    scoreFlagged: score === null,
    reasons: reasonsOf(value),
    suggestedFix: firstText(value, ['suggestedFix', 'suggested_fix', 'next_hint', 'nextHint']),
  };
}

/** The boolean, or why there is none. Two spellings that contradict each other are no verdict. */
function passOf(value: Fields): boolean | string {
  const given = ['pass', 'passed'].filter((key) => Object.hasOwn(value, key));
  if (given.length === 0) return 'it has neither "pass" nor "passed"';
  const read = new Set<boolean>();
  for (const key of given) {
    const pass = booleanOf(value[key]);
    if (pass === null) return `"${key}" is ${show(value[key])}, not true or false`;
    read.add(pass);
  }
  if (read.size > 1) return '"pass" and "passed" contradict each other';
  return read.has(true);
}

function booleanOf(value: unknown): boolean | null {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string') return null;
  const word = value.trim().toLowerCase();
  return word === 'true' ? true : word === 'false' ? false : null;
}

function scoreOf(value: unknown): number | null {
  if (typeof value !== 'number' || !Number.isFinite(value)) return null;
  return Math.min(1, Math.max(0, value));
}

function reasonsOf(value: Fields): readonly string[] {
  const given = value['reasons'] ?? value['reason'];
  const list = Array.isArray(given) ? given : [given];
  return list
    .filter((one): one is string => typeof one === 'string' && one.trim() !== '')
    .slice(0, reasonsMax)
    .map((one) => cut(one.trim(), reasonMax));
}

function firstText(value: Fields, keys: readonly string[]): string | null {
  for (const key of keys) {
    const found = value[key];
    if (typeof found === 'string' && found.trim() !== '') return cut(found.trim(), 2_000);
  }
  return null;
}

function unparseable(problem: string): JudgeReading {
  return { outcome: 'unparseable', problem };
}

function show(value: unknown): string {
  return cut(JSON.stringify(value) ?? 'undefined', 60);
}

function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1)}…`;
}
