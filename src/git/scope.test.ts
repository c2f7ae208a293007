import { expect, test } from 'vitest';
import { isSameAt, matcher, splitProtected, withValueAt } from './scope.ts';

test.each([
  [['src/**'], 'src/a/b.ts', true],
  [['src/**'], 'src2/a.ts', false],
  [['src'], 'src/a/b.ts', true],
  [['src/'], 'src/.hidden', true],
  [['./src/**'], 'src/a.ts', true],
  [['/src/**'], 'src/a.ts', true],
  [['*.md'], 'docs/a.md', false],
  [['**/*.md'], 'a.md', true],
  [['**/.env*'], 'a/.env.test', true],
  [['日本語/**'], '日本語/x.md', true],
  [['a\u0308.txt'], 'ä.txt', true],
  [['!src/**'], 'docs/a.md', false],
  [['[x].txt'], '[x].txt', true],
  [['x -> y.txt'], 'x -> y.txt', true],
  [['nested'], 'nested/', true],
  [[], 'a', false],
] as const)('%j names %s: %s', (globs, path, expected) => {
  expect(matcher(globs)(path)).toBe(expected);
});

test('a key is told from a glob, in both spellings', () => {
  expect(splitProtected(['a#b.txt', 'package.json#scripts', 'p/*/x.json#/a~1b/c'])).toEqual({
    globs: ['a#b.txt'],
    keys: [
      { file: 'package.json', steps: ['scripts'] },
      { file: 'p/*/x.json', steps: ['a/b', 'c'] },
    ],
  });
});

test('a key is the same whatever the order and the rest of the file', () => {
  const key = { file: 'x.json', steps: ['scripts'] };
  const before = '{"scripts":{"a":"1","b":"2"}}';
  expect(isSameAt(before, '{"other":1,"scripts":{"b":"2","a":"1"}}', key)).toBe(true);
  expect(isSameAt(before, '{"scripts":{"a":"1"}}', key)).toBe(false);
  expect(isSameAt(before, null, key)).toBe(false);
  expect(isSameAt(before, '{', key)).toBe(false);
  expect(isSameAt(null, '{"other":1}', key)).toBe(true);
  expect(isSameAt('[1]', '[2]', key)).toBe(true);
});

test('a value goes in and out with the file’s own indentation', () => {
  const json = '{\n\t"name": "x",\n\t"scripts": {\n\t\t"test": "true"\n\t}\n}\n';
  expect(withValueAt(json, ['scripts', 'test'], 'node --test')).toBe(
    json.replace('true', 'node --test'),
  );
  expect(withValueAt(json, ['scripts'], undefined)).toBe('{\n\t"name": "x"\n}\n');
});
