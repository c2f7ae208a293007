/** Rules about the code that no linter of the shelf states. */
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { everything, isTest, type Source, shipped, sources, tests } from './sources.ts';

const pureLayers = ['kernel', 'domain', 'ports', 'engine'];
const isIn = (layer: string) => (source: Source) => source.path.startsWith(`src/${layer}/`);

/** What each pure layer takes as a parameter instead of reaching for it. */
const impure: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\bDate\.now\b|\bnew Date\(\)/, 'the Instant of the command'],
  [/\bMath\.random\b|\bcrypto\./, 'the Ids port'],
  [/\bprocess\.\w/, 'an option'],
  [/\bset(?:Timeout|Interval|Immediate)\b/, 'the Clock port'],
];

/**
 * Lines, with their numbers, in which a pattern occurs; comments count, as they may be run one day.
 */
function linesWith(pattern: RegExp, among: readonly Source[]): readonly string[] {
  return among.flatMap(({ path, text }) =>
    text
      .split('\n')
      .flatMap((line, index) =>
        pattern.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : [],
      ),
  );
}

test('no file is longer than 400 lines, no test file longer than 600', () => {
  const long = everything
    .map((source) => ({ ...source, lines: source.text.split('\n').length }))
    .filter((source) => source.lines > (isTest(source) ? 600 : 400))
    .map(({ path, lines }) => `${path}: ${lines} lines`);
  expect(long.join('\n')).toBe('');
});

test('no comment is wider than 100 columns', () => {
  // The formatter breaks code; what it leaves longer is a string or a regular expression.
  expect(linesWith(/^(?=.{101})\s*(?:\/\*\*?|\*|\/\/)/u, everything).join('\n')).toBe('');
});

test.each(impure)('the pure layers have no %s', (pattern, instead) => {
  const pure = shipped.filter((source) => pureLayers.some((layer) => isIn(layer)(source)));
  expect(pure.length).toBeGreaterThan(0);
  expect(linesWith(pattern, pure).join('\n'), `use ${instead}`).toBe('');
});

test('only the composition reads the environment of the process', () => {
  const others = shipped.filter((source) => !isIn('main')(source));
  expect(linesWith(/\bprocess\.env\b/, others).join('\n')).toBe('');
});

test('a TODO names the number of an issue', () => {
  const marks = /(?:\/\/|\/\*|^\s*\*).*\b(?:TODO|FIXME|XXX|HACK)\b(?!.*#\d+)/;
  const others = everything.filter(({ path }) => path !== 'test/tidy/code.test.ts');
  expect(linesWith(marks, others).join('\n')).toBe('');
});

const vague = /(?:^|-)(?:utils?|helpers?|common|misc|manager|service|handler|processor|data|info)$/;

test('no file has a name that says nothing', () => {
  const named = sources.filter(({ path }) => !path.startsWith('src/cli/'));
  const bad = named.filter(({ path }) => {
    const name = (path.split('/').at(-1) ?? '').replace(
      /(?:[.](?:property|sim))?(?:[.](?:test|suite))?[.]ts$/,
      '',
    );
    return vague.test(name) || name === 'types';
  });
  expect(bad.map(({ path }) => path).join('\n')).toBe('');
});

test('file names are in kebab-case', () => {
  const bad = sources.filter(({ path }) => !/^src\/[a-z0-9/.-]+$/.test(path));
  expect(bad.map(({ path }) => path).join('\n')).toBe('');
});

test('no test is focused or left out', () => {
  const others = tests.filter(({ path }) => path !== 'test/tidy/code.test.ts');
  const focused =
    /\b(?:test|it|describe)(?:\.\w+)*\.(?:only|todo)\b|\b(?:fit|fdescribe|xit|xtest|xdescribe)\(/;
  expect(linesWith(focused, others).join('\n')).toBe('');
  expect(linesWith(/\b(?:test|it|describe)\.skip\(/, others).join('\n')).toBe('');
});

test('every test file asserts something', () => {
  const silent = tests
    .filter(({ path }) => /[.]test[.]ts$/.test(path))
    .filter(({ text }) => !/\bexpect\b|\bassert\b|\.yields\(|\.rejects\(|Suite\(/.test(text));
  expect(silent.map(({ path }) => path).join('\n')).toBe('');
});

test('no code waits for a fixed time to let something happen', () => {
  const sleeping = /\bawait\s+(?:sleep|delay|setTimeout)\(\s*[\d_]+\s*\)|\bwaitForTimeout\(/;
  expect(linesWith(sleeping, [...shipped, ...tests]).join('\n')).toBe('');
});

test('no type check or lint rule is switched off in shipped code', () => {
  const off = /@ts-(?:ignore|nocheck|expect-error)|biome-ignore|(?:v8|c8) ignore/;
  expect(linesWith(off, shipped).join('\n')).toBe('');
});

test('no commented-out code is left behind', () => {
  const dead = /^\s*\/\/\s*(?:(?:const|let|import|export|return|await|if \()\s.*[;{]|\}\)?;?)\s*$/;
  expect(linesWith(dead, everything).join('\n')).toBe('');
});

test('every folder of tests is a lane or a support of one', () => {
  const known =
    'cheats conformance crash e2e golden liveness newcomer partition screens sim support tidy words chaos agents'.split(
      ' ',
    );
  const folders = readdirSync('test', { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  expect(
    folders
      .map(({ name }) => name)
      .filter((name) => !known.includes(name))
      .join('\n'),
  ).toBe('');
});
