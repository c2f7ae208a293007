import { expect, test } from 'vitest';
import { migrationDigest, migrationKey, migrationStates } from './migration.ts';

const steps = [
  { name: '0001-a', sql: 'create table a(x)' },
  { name: '0002-b', sql: 'create table b(x)' },
];
const [first, second] = steps.map((step) => [migrationKey(step.name), migrationDigest(step)]);
const recorded = (...entries: readonly (readonly string[] | undefined)[]) =>
  new Map(entries.map(([key = '', digest = ''] = []) => [key, digest]));

test('a step above the format is pending, one below it was applied', () => {
  expect(migrationStates(steps, 0, new Map()).map(({ state }) => state)).toEqual([
    'pending',
    'pending',
  ]);
  expect(migrationStates(steps, 1, recorded(first))).toEqual([
    { name: '0001-a', state: 'applied' },
    { name: '0002-b', state: 'pending' },
  ]);
  expect(migrationStates(steps, 2, recorded(first, second)).map(({ state }) => state)).toEqual([
    'applied',
    'applied',
  ]);
});

test('a step that was applied with another text, or without a record, is told', () => {
  const other = [migrationKey('0001-a'), 'another'];
  expect(migrationStates(steps, 2, recorded(other)).map(({ state }) => state)).toEqual([
    'altered',
    'altered',
  ]);
});
