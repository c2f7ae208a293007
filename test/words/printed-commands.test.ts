/**
 * Goal: every command that is printed exists, with its flags (L-K10).
 * Method: the sources of everything that prints and every page are searched for `pawl …`, and what
 * the pages and the table of escalations compute is collected; each is parsed as if it had been
 * typed.
 */
import { expect, test } from 'vitest';
import { foreignWords } from '../../src/cli/commands.ts';
import { stepsFor } from '../../src/cli/next.ts';
import { overview } from '../../src/cli/overview.ts';
import { topics } from '../../src/cli/topics.ts';
import { optionsFor } from '../../src/domain/escalation/options.ts';
import { escalations } from '../../src/domain/escalation/table.ts';
import { errorCodes } from '../../src/kernel/error-codes.ts';
import { errorMeanings } from '../../src/kernel/error-meanings.ts';
import type { RunStatus } from '../../src/ports/words.ts';
import { exampleView } from '../support/example-run.ts';
import { pages, shipped } from '../tidy/sources.ts';
import { commandsIn, commandsOfPage, faultsIn, type Line } from './typing.ts';

/** Sentences in which the name is a subject, not a command to type. */
const prose =
  /^(?:has|is|cannot|runs?|refuses|drives|demo:|and|server|itself|of|to|needs|does|will|keeps|made|opens|process|waits|knows|binary|runtime|version|home|on|never|the|in|for|was|would|records?|takes|holds|reads|writes|started|a|an|project|removes|uses|store|exits|keys?|marker)$/;

const isTyped = ({ text }: Line): boolean => !prose.test(text.split(' ')[0] ?? '');

/** Only what stands in a string: comments tell about commands in prose. */
function inStrings({ path, text }: (typeof shipped)[number]): readonly Line[] {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
  return [...code.matchAll(/'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g)].flatMap(([literal]) =>
    commandsIn(path, literal),
  );
}

test('every command in a string that is printed exists', async () => {
  const lines = shipped.flatMap(inStrings).filter(isTyped);
  expect(lines.length).toBeGreaterThan(100);
  expect(await faultsIn(lines, false)).toEqual([]);
});

test('every command of the overview, of the topics and of the foreign words exists', async () => {
  const lines = [
    ...overview(),
    ...[...topics.values()].flat(),
    ...[...foreignWords.values()].map(({ next }) => next),
  ].flatMap((line) => commandsIn('help', line.trim()).filter(isTyped));
  expect(lines.length).toBeGreaterThan(20);
  expect(await faultsIn(lines)).toEqual([]);
});

test('every command of a page exists: README, guides, reference, records', async () => {
  const lines = pages.flatMap(({ path, text }) => commandsOfPage(path, text));
  expect(lines.length).toBeGreaterThan(100);
  expect(await faultsIn(lines)).toEqual([]);
});

test('every command in what an error means and advises exists', async () => {
  const lines = Object.entries({ ...errorMeanings }).flatMap(([code, { means, remedy }]) =>
    commandsOfPage(code, `${means} ${remedy}`),
  );
  const short = Object.entries(errorCodes).flatMap(([code, { next }]) => commandsIn(code, next));
  expect(lines.length).toBeGreaterThan(40);
  expect(await faultsIn([...lines, ...short])).toEqual([]);
});

test('every step that a page offers exists, in every state', async () => {
  const statuses: readonly RunStatus[] = [
    'active',
    'waiting_human',
    'paused',
    'needs_operator',
    'cancelling',
    'complete',
    'cancelled',
  ];
  const lines = statuses.flatMap((status) =>
    (['executing', 'waiting'] as const).flatMap((phase) =>
      stepsFor(exampleView({ status, phase }), 'pawl').map(({ command }) => ({
        path: status,
        text: command.slice(5),
      })),
    ),
  );
  expect(await faultsIn(lines)).toEqual([]);
});

test('every option of every escalation exists (UX 5.1)', async () => {
  const reasons = Object.keys(escalations) as (keyof typeof escalations)[];
  const work = { best: null, paths: [], isUnjudged: false };
  const facts = { ...work, maker: 'it', agent: 'codex', worker: 'w-1' };
  const lines = reasons.flatMap((reason) =>
    optionsFor(reason, '7k2m', facts).flatMap(({ command }) =>
      [...command.matchAll(/pawl ([^)]*)/g)].map((match) => ({
        path: reason,
        text: match[1] ?? '',
      })),
    ),
  );
  expect(lines.length).toBeGreaterThan(20);
  expect(await faultsIn(lines)).toEqual([]);
});
