/**
 * Which checks must pass: the one question that `run` asks when nothing says it (UX 1.2), and that
 * is answered by nobody where there are several candidates and no terminal.
 */
import type { Layer } from '../contract/layer.ts';
import { RequestError } from '../kernel/errors.ts';
import type { DetectedCheck } from '../ports/detection.ts';
import { ask, canAsk } from './ask.ts';
import type { Context } from './command.ts';
import { plural } from './format.ts';

/** A criterion of the file form; none: a human looks. */
export type ChosenCheck = Readonly<Partial<Record<DetectedCheck['kind'], string>>>;

/** @throws RequestError `several_checks` where nobody can be asked, `no_answer`. */
export async function chooseChecks(
  context: Context,
  found: readonly DetectedCheck[],
): Promise<readonly ChosenCheck[]> {
  if (canAsk(context)) return await askForChecks(context, found);
  if (found.length <= 1 || context.given.has('yes')) return found.map(asCriterion);
  const flags = found.map(({ command }) => `--check ${JSON.stringify(command)}`);
  throw new RequestError(
    'several_checks',
    `${plural(found.length, 'check')} were found, and none is chosen silently`,
    {
      found: found.map(({ command, from }) => `${command}  (${from})`).join('\n'),
      next: `${flags.join(' ')}   or some of them   or  -y  (all)`,
      facts: { checks: found },
    },
  );
}

export async function askForChecks(
  context: Context,
  found: readonly DetectedCheck[],
): Promise<readonly ChosenCheck[]> {
  if (found.length === 0) {
    return await ask(context, {
      text: 'No check was found. Type one, or manual:',
      bracket: 'manual',
      help: [
        '    a command  must exit 0 in a clean checkout of the work before it counts as done',
        '    manual     you look at the work before it counts as done',
      ],
      read: (answer) => ({ value: answer === 'manual' ? [] : [{ test: answer }] }),
    });
  }
  return await ask(context, {
    text: 'Which checks must pass for "done"?',
    bracket: found.map((_, index) => index + 1).join(','),
    help: [
      '    1,2        these of the list above',
      '    a command  another one',
      '    manual     none: you look at the work before it counts as done',
    ],
    read: (answer) => readChoice(answer, found),
  });
}

function readChoice(
  answer: string,
  found: readonly DetectedCheck[],
): { readonly value: readonly ChosenCheck[] } | string {
  if (answer === 'manual') return { value: [] };
  if (!/^[\d,\s]+$/.test(answer)) return { value: [{ test: answer }] };
  const numbers = answer.split(/[,\s]+/).filter((word) => word !== '');
  const picked = numbers.map((word) => found[Number(word) - 1]);
  return picked.includes(undefined)
    ? `there are ${found.length}: 1 to ${found.length}`
    : { value: picked.filter((one) => one !== undefined).map(asCriterion) };
}

function asCriterion({ kind, command }: DetectedCheck): ChosenCheck {
  return { [kind]: command };
}

/** What was found and chosen, below every other layer of settings. */
export function detectedLayer(
  value: {
    readonly criteria: readonly ChosenCheck[];
    readonly setup: string | null;
  },
  from: string,
): Layer {
  const { criteria, setup } = value;
  return {
    origin: 'detected',
    kind: 'detected',
    value: {
      ...(criteria.length === 0 ? {} : { criteria: criteria.map((one) => ({ ...one })) }),
      ...(setup === null ? {} : { workspace: { setup: { run: setup } } }),
    },
    where: () => `detected (${from})`,
  };
}
