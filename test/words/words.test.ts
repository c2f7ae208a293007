/**
 * Goal: every word that somebody may type is answered, and every code can be looked up (UX 2.1).
 * Method: the words of the specification are written down here, not taken from the program.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { commandRows, findCommand, foreignWords } from '../../src/cli/commands.ts';
import { globalFlags } from '../../src/cli/parse.ts';
import { verbs } from '../../src/cli/verbs.ts';
import { fileDefaults } from '../../src/contract/defaults.ts';
import { errorCodes } from '../../src/kernel/error-codes.ts';
import { typed } from '../support/scripted-cli.ts';

const words = [
  ['stop', 'pause (can be resumed) or cancel (ends it; the work is kept)', 'pawl pause <run>'],
  ['merge', 'land', 'pawl land <run>'],
  ['apply', 'land', 'pawl land <run>'],
  ['continue', 'resume', 'pawl resume <run>'],
  ['kill', 'cancel --now', 'pawl cancel <run> --now'],
  ['tail', 'logs -f', 'pawl logs <run> -f'],
  ['clean', 'prune', 'pawl prune'],
  ['web', 'ui', 'pawl status'],
  ['dashboard', 'ui', 'pawl status'],
  ['stats', 'list', 'pawl list --cost'],
  ['cost', 'list', 'pawl list --cost'],
] as const;

test.each(words)(
  '"%s" is a word of other tools: answered with "%s", exit 2',
  async (word, said, next) => {
    for (const line of [[word], [word, '7k2m'], ['--no-input', word, '--now']]) {
      const { exit, out, err } = await typed(line);
      expect({ exit, out }).toEqual({ exit: 2, out: '' });
      expect(err).toMatch(new RegExp(`^error\\[unknown_command\\]: pawl has no "${word}": `));
      expect(err).toContain(said);
      expect(err).toContain(`next         ${next}`);
    }
  },
);

test('the words of the specification are all that are answered, and none is a command', async () => {
  expect([...foreignWords.keys()].sort()).toEqual(words.map(([word]) => word).sort());
  const commands = await Promise.all([...foreignWords.keys()].map((word) => findCommand([word])));
  expect(commands.filter((found) => found !== null)).toEqual([]);
});

test('kill is answered by cancel --now where that is honoured', async () => {
  const cancel = await findCommand(['cancel']);
  const now = cancel?.command.flags.find(({ name }) => name === 'now');
  const isHonoured = now !== undefined && now.later === undefined;
  expect(foreignWords.get('kill')?.next.includes('--now')).toBe(isHonoured);
});

/** Two letters swapped, one left out, one twice: what fingers do. */
function slips(word: string): readonly string[] {
  const at = Math.floor(word.length / 2);
  const [a = '', b = ''] = [word[at - 1], word[at]];
  return [
    `${word.slice(0, at - 1)}${b}${a}${word.slice(at + 1)}`,
    `${word.slice(0, at)}${word.slice(at + 1)}`,
    `${word.slice(0, at)}${b}${word.slice(at)}`,
  ].filter((slip) => slip !== word);
}

test('a misspelt verb gets the nearest, exit 2', async () => {
  const long = [...new Set(verbs)].filter((verb) => verb.length >= 4);
  for (const slip of long.flatMap(slips)) {
    if (verbs.includes(slip) || foreignWords.has(slip)) continue;
    const { exit, err } = await typed([slip]);
    expect({ slip, exit, err }).toEqual({
      slip,
      exit: 2,
      err: expect.stringMatching(/did you mean: {2}pawl [a-z]/),
    });
  }
});

test.each([
  ['config shwo', 'config show'],
  ['config', 'config check'],
  ['cofnig schma', 'config schema'],
  ['audit verfy', 'audit verify'],
])('"%s" is answered with "%s"', async (line, near) => {
  const { exit, err } = await typed(line.split(' '));
  expect(exit).toBe(2);
  expect(err).toContain(`did you mean:  pawl ${near}   `);
});

test('a misspelt flag of any command gets one that is there, exit 2', async () => {
  for (const { name, load } of commandRows) {
    const { flags } = await load();
    const known = [...flags, ...globalFlags].map((flag) => flag.name);
    for (const flag of flags.filter((one) => one.name.length >= 5 && one.later === undefined)) {
      const [slip = ''] = slips(flag.name).filter((word) => !known.includes(word));
      if (slip === '') continue;
      const { exit, err } = await typed([...name.split(' '), `--${slip}`]);
      expect({ exit, err }, `${name} --${slip}`).toEqual({
        exit: 2,
        err: expect.stringMatching(/error\[unknown_flag\][\s\S]*did you mean --[a-z-]+\?/),
      });
    }
  }
});

test('a flag that takes one of some words says which counts without it', async () => {
  const commands = await Promise.all(commandRows.map(({ load }) => load()));
  const flags = [...globalFlags, ...commands.flatMap((command) => command.flags)];
  const silent = flags
    .filter(({ kind, later }) => kind === 'value' && later === undefined)
    .filter(({ oneOf, says }) => oneOf?.some((word) => says.includes(`(${word}`)) === false);
  expect(silent.map(({ name }) => name)).toEqual([]);
});

test('the defaults in the help of run are those of the definition', async () => {
  const { out } = await typed(['run', '--help']);
  const { brakes, baseline, permissions, onLimit, workspace } = fileDefaults;
  expect(out).toMatch(new RegExp(`--attempts <n> .*\\(${brakes?.attempts}\\)`));
  expect(out).toMatch(new RegExp(`--max-time <span> .*\\(${brakes?.time}\\)`));
  for (const word of [baseline, permissions, onLimit, workspace?.isolation]) {
    expect(out).toContain(`(${word}`);
  }
});

test('a flag that nothing honours is in no help', async () => {
  for (const { name, load } of commandRows) {
    const { flags } = await load();
    const { out } = await typed([...name.split(' '), '--help']);
    for (const flag of flags) {
      const line = new RegExp(`^ +(?:-\\w, )?--${flag.name} `, 'm');
      expect(line.test(out), `${name} --${flag.name}`).toBe(flag.later === undefined);
    }
  }
});

test('every code has a section that says what it means and what to do, not only its name', () => {
  const page = readFileSync('docs/errors.md', 'utf8');
  const sections = new Map(
    page
      .split(/^### /m)
      .slice(1)
      .map((text) => [/^`([\w.]+)`/.exec(text)?.[1] ?? '', text] as const),
  );
  expect([...sections.keys()].sort()).toEqual(Object.keys(errorCodes).sort());
  const thin = [...sections].filter(([, text]) => {
    const [, means = '', remedy = ''] =
      /\*\*What it means\.\*\* ([\s\S]+?)\n\n\*\*What to do\.\*\* ([\s\S]+?)\n/.exec(text) ?? [];
    return means.split(' ').length < 8 || remedy.split(' ').length < 4;
  });
  expect(thin.map(([code]) => code)).toEqual([]);
});
