/**
 * What an agent asks by its own tool for questions, as one text. The tools of the agents that have
 * one take the same list: questions, each with the answers to choose from.
 */

import { type Fields, fieldsIn, fieldsOf, textOf } from '../../kernel/json.ts';
import { clip } from '../../kernel/text.ts';

const questionsMax = 20;
const textMax = 64 * 1024;

/** Null: nothing is asked. */
export function questionText(input: unknown): string | null {
  const asked = fieldsIn(fieldsOf(input)['questions']).slice(0, questionsMax).flatMap(oneText);
  return asked.length === 0 ? null : clip(asked.join('\n\n'), textMax);
}

function oneText(one: Fields): readonly string[] {
  const question = textOf(one['question']);
  if (question === null) return [];
  const answers = fieldsIn(one['options']).slice(0, questionsMax).flatMap(answerText);
  return [[question, ...answers].join('\n')];
}

function answerText(option: Fields): readonly string[] {
  const [label, description] = [textOf(option['label']), textOf(option['description'])];
  if (label === null) return [];
  return [description === null ? `- ${label}` : `- ${label}: ${description}`];
}
