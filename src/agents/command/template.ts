/**
 * The argv template of a command lane (SL-75, SL-76): tokens are put into elements of a list,
 * without a shell, once: what a token brings in is never looked through again. Pure.
 */
import { RequestError } from '../../kernel/errors.ts';

export interface TemplateValues {
  /** Path of the file with the whole prompt. */
  readonly prompt: string;
  readonly promptContent: string;
  readonly cwd: string;
  /** Null: `{model}` stays as it is written (SL-76). */
  readonly model: string | null;
  readonly output: string;
  readonly artifact: string;
  readonly verdict: string;
  readonly currentTask: string;
  readonly currentPhase: string;
}

/** Linux takes no single argument of 128 KiB or more, its closing zero byte included. */
export const argumentBytesMax = 128 * 1024 - 1;

/** @throws RequestError `argument_too_long` naming the token that made it so (L-J4). */
export function fillTemplate(
  template: readonly string[],
  values: TemplateValues,
): readonly string[] {
  const table = tableOf(values);
  return template.map((element) => {
    const filled = element.replaceAll(/\{[a-z_]+\}/g, (token) => table.get(token) ?? token);
    requireShort(element, filled);
    return filled;
  });
}

function tableOf(values: TemplateValues): ReadonlyMap<string, string> {
  const table = new Map([
    ['{prompt}', values.prompt],
    ['{prompt_content}', values.promptContent],
    ['{cwd}', values.cwd],
    ['{output}', values.output],
    ['{artifact}', values.artifact],
    ['{verdict}', values.verdict],
    ['{current_task}', values.currentTask],
    ['{current_phase}', values.currentPhase],
  ]);
  if (values.model !== null) table.set('{model}', values.model);
  return table;
}

function requireShort(element: string, filled: string): void {
  const bytes = new TextEncoder().encode(filled).length;
  if (bytes <= argumentBytesMax) return;
  const token = element.includes('{prompt_content}') ? '{prompt_content}' : 'the argument';
  throw new RequestError(
    'argument_too_long',
    `${token} is ${bytes} bytes long, and the system takes no argument above ${argumentBytesMax}`,
    {
      found: element.slice(0, 200),
      so: 'the agent cannot be started with this prompt in its arguments',
      next: 'use {prompt}, the path of a file with the prompt, or let the agent read its stdin',
    },
  );
}
