/** `pawl help <topic>`. */

import { nearest } from '../contract/nearest.ts';
import { RequestError } from '../kernel/errors.ts';
import { answer, type Command, type Context } from './command.ts';
import { exits } from './exit.ts';
import { topics } from './topics.ts';
import { verbs } from './verbs.ts';

export const command: Command = {
  name: 'help',
  summary: 'Help on a topic: exit-codes, states, config, environment.',
  arguments: { usage: '[topic]', min: 0, max: 1 },
  flags: [],
  examples: ['pawl help exit-codes'],
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
        'pawl --help lists the commands; pawl <command> --help explains one.',
      ],
      {
        schema: 'pawl.help/1',
        topics: names,
      },
    );
    return exits.done;
  }
  const lines = topics.get(topic);
  if (lines === undefined) {
    const near = nearest(topic, names);
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
