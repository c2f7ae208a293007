/** `pawl help <topic>`, and `pawl help <code>` for every code that a message shows. */

import { nearest } from '../contract/nearest.ts';
import {
  isRefusalCode,
  type PlaneRefusalCode,
  planeRefusalCodes,
  planeRefusals,
} from '../contract/plane-refusals.ts';
import { planeRemedies } from '../contract/plane-remedies.ts';
import { errorCodes } from '../kernel/error-codes.ts';
import { errorMeanings } from '../kernel/error-meanings.ts';
import { RequestError } from '../kernel/errors.ts';
import { answer, type Command, type Context } from './command.ts';
import { exits } from './exit.ts';
import { wrap } from './text.ts';
import { topics } from './topics.ts';
import { verbs } from './verbs.ts';

export const command: Command = {
  name: 'help',
  summary: 'Help on a topic (exit-codes, states, config, environment) or on the code of an error.',
  arguments: { usage: '[topic|code]', min: 0, max: 1, words: [...topics.keys()] },
  flags: [],
  examples: ['pawl help exit-codes', 'pawl help dirty_tree'],
  run,
};

async function run(context: Context): Promise<number> {
  const [topic] = context.given.words;
  const names = [...topics.keys()];
  if (topic === undefined) {
    answer(
      context,
      [
        `topics: ${names.join(', ')}`,
        'pawl --help lists the commands; pawl <command> --help explains one;',
        'pawl help <code> explains the code of an error, as in error[dirty_tree].',
      ],
      {
        schema: 'pawl.help/1',
        topics: names,
      },
    );
    return exits.done;
  }
  const lines = topics.get(topic) ?? codeLines(topic, context.style.columns);
  if (lines === null) {
    const near = nearest(topic, [...names, ...codes, ...planeRefusalCodes]);
    throw new RequestError('usage', `there is no help on "${topic}"`, {
      allowed: names.join(', '),
      next:
        near !== null
          ? `pawl help ${near}`
          : verbs.includes(topic)
            ? `pawl ${topic} --help`
            : 'pawl help',
    });
  }
  answer(context, lines, { schema: 'pawl.help/1', topic, lines });
  return exits.done;
}

/** Null when it is no code. */
function codeLines(topic: string, columns: number): readonly string[] | null {
  const code = codes.find((each) => each === topic);
  if (code === undefined) return isRefusalCode(topic) ? refusalLines(topic, columns) : null;
  const { exit, next } = errorCodes[code];
  const { means, remedy } = errorMeanings[code];
  const indented = indentedTo(columns);
  return [
    `${code}  ·  ${exit === 0 ? 'a warning' : `exit ${exit}`}`,
    ...indented(next),
    '',
    'What it means',
    ...indented(means),
    '',
    'What to do',
    ...indented(remedy),
  ];
}

/** What a server tells a worker: seen in its log, in events and on the page of a run. */
function refusalLines(code: PlaneRefusalCode, columns: number): readonly string[] {
  const indented = indentedTo(columns);
  return [
    `${code}  ·  told by the server to a worker`,
    '',
    'What it means',
    ...indented(`${planeRefusals[code].text}.`),
    '',
    'What to do',
    ...indented(planeRemedies[code]),
  ];
}

const indentedTo =
  (columns: number) =>
  (text: string): string[] =>
    wrap(text, Math.min(columns, 100) - 2).map((line) => `  ${line}`);

const codes = Object.keys(errorCodes) as (keyof typeof errorCodes)[];
