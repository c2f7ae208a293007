/**
 * Goal: every command that is printed exists, with its flags (L-K10).
 * Method: the sources of everything that prints are searched for `pawl …`, and what the pages and
 * the table of escalations compute is collected; each is parsed as if it had been typed.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { exampleView } from '../../test/support/example-run.ts';
import { escalations, optionsFor } from '../domain/escalation/options.ts';
import type { RunStatus } from '../ports/words.ts';
import { findCommand, foreignWords } from './commands.ts';
import { stepsFor } from './next.ts';
import { parse } from './parse.ts';
import { topics } from './topics.ts';

const folders = [
  'src/cli',
  'src/contract',
  'src/kernel',
  'src/engine',
  'src/domain',
  'src/git',
  'src/verify',
  'src/main',
];
/** Sentences in which the name is a subject, not a command to type. */
const prose =
  /^(?:has|is|cannot|runs?|refuses|drives|demo:|and|server|itself|of|to|needs|does|will|keeps|made|opens|process|waits|knows|binary|runtime|version|home|on|never|the|in|for|was|would|records?|takes|holds|reads|writes|started|a|an|project|removes|uses|store|exits|keys?|marker)$/;

function sources(): readonly string[] {
  return folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && !path.includes('.test.'))
      .map((path) => readFileSync(join(folder, path), 'utf8')),
  );
}

/** Only what stands in a string: comments tell about commands in prose. */
function printed(): ReadonlySet<string> {
  const found = new Set<string>();
  const take = (text: string): void => {
    // In the middle of a sentence the name is a subject: a command stands apart.
    for (const match of text.matchAll(
      /(?:(?:^|['`"]|\s{2}|· |: |\(|\b(?:or|then|with|type|run|see) )pawl|\$\{(?:context\.)?called\}) ([a-z][^\n'`·;)]*)/g,
    )) {
      found.add((match[1] ?? '').trim());
    }
  };
  for (const source of sources()) {
    const code = source.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
    for (const [literal] of code.matchAll(/'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g)) take(literal);
  }
  for (const lines of topics.values()) for (const line of lines) take(line);
  for (const { next } of foreignWords.values()) take(next);
  return found;
}

/** As a person would fill in the placeholders; only the first command of a line. */
function filled(line: string): readonly string[] {
  const text = line
    .replace(/\$\{[^}]*\}/g, 'x')
    .replaceAll('"…"', 'text')
    .replace(/\+n|<n>/g, '1')
    .replace(/\+\$/g, '+5')
    .replace(/<[^>]+>…?/g, 'x')
    .replace(/"[^"]*"?/g, 'text')
    .split(/ {2,}|, | && | > | or | explains| lists| tries| removes| lifts/)[0];
  return (text ?? '')
    .replace(/[.,:"\\]+$/, '')
    .split(' ')
    .filter((word) => word !== '' && word !== '…');
}

/** Null when it exists, else what is wrong with it. */
async function fault(words: readonly string[], line: string): Promise<string | null> {
  const found = await findCommand(words);
  if (found === null) return `pawl ${line}: no such command`;
  try {
    parse(found.command.name, words.slice(found.used), found.command.flags);
    return null;
  } catch (error: unknown) {
    return `pawl ${line}: ${error instanceof Error ? error.message : String(error)}`;
  }
}

async function faults(lines: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(lines.map((line) => fault(filled(line), line)));
  return found.filter((each) => each !== null);
}

test('every command in a string that is printed exists', async () => {
  const lines = [...printed()].filter((line) => !prose.test(line.split(' ')[0] ?? ''));
  expect(lines.length).toBeGreaterThan(40);
  expect(await faults(lines)).toEqual([]);
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
      stepsFor(exampleView({ status, phase }), 'pawl').map(({ command }) => command.slice(5)),
    ),
  );
  expect(await faults(lines)).toEqual([]);
});

test('every option of every escalation exists (UX 5.1)', async () => {
  const reasons = Object.keys(escalations) as (keyof typeof escalations)[];
  const lines = reasons.flatMap((reason) =>
    optionsFor(reason, '7k2m').flatMap(({ command }) =>
      [...command.matchAll(/pawl ([^)]*)/g)].map((match) => match[1] ?? ''),
    ),
  );
  expect(await faults(lines)).toEqual([]);
});
