import { expect, test } from 'vitest';
import { quotedWord, splitArgv } from './argv.ts';

const words = (line: string) => {
  const split = splitArgv(line);
  return split.ok ? split.value : split.error;
};

test.each([
  ['codex exec --json', ['codex', 'exec', '--json']],
  ['  a\t\'b c\'\n"d e"  ', ['a', 'b c', 'd e']],
  [`say "it's" 'a "b"'`, ['say', "it's", 'a "b"']],
  [`a\\ b "c\\"d" "e\\n" 'f\\g'`, ['a b', 'c"d', 'e\\n', 'f\\g']],
  [`x '' ""`, ['x', '', '']],
  [`pre'mid'"post"`, ['premidpost']],
  ['long \\\n line', ['long', 'line']],
  ['echo $HOME `id` $(id) *.ts ~ a|b;c&&d', 'echo $HOME `id` $(id) *.ts ~ a|b;c&&d'.split(' ')],
  ['ä "日本 語"', ['ä', '日本 語']],
])('splits %j as a shell quotes, and expands nothing (SL-76)', (line, expected) => {
  expect(words(line)).toEqual(expected);
});

test('says where a quote was opened that is never closed', () => {
  expect(words(`run 'abc`)).toEqual({ code: 'unclosed_quote', quote: "'", at: 4 });
  expect(words(`run "abc\\"`)).toEqual({ code: 'unclosed_quote', quote: '"', at: 4 });
  expect(words('run \\')).toEqual({ code: 'trailing_backslash', at: 4 });
});

test('a line without a word is no command', () => {
  expect(words(' \t\n')).toEqual({ code: 'empty' });
});

test.each(['plain/a.b', '', 'a b', "it's", '$(id) `x` "y" \\', 'a\nb'])(
  'a word that is quoted is read as it was: %j',
  (word) => {
    expect(words(`x ${quotedWord(word)} y`)).toEqual(['x', word, 'y']);
  },
);
