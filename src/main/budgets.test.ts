import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ConfigError } from '../kernel/errors.ts';
import { fileBudgets } from './budgets.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pawl-budgets-'));
});
afterEach(async () => rm(folder, { recursive: true, force: true }));

test('the file is read anew when it changes; what cannot be read is not taken for none', async () => {
  const userConfigPath = join(folder, 'config.yaml');
  const source = fileBudgets({ userConfigPath });
  expect(await source.read()).toEqual({ day: null, project: null });
  await writeFile(userConfigPath, 'budgets: { day: { cost: 5 } }\n');
  expect(await source.read()).toMatchObject({ day: { costUsd: 5 } });
  await writeFile(userConfigPath, 'budgets: { day: { cost: 50.5 } }\n');
  expect(await source.read()).toMatchObject({ day: { costUsd: 50.5 } });
  await writeFile(userConfigPath, 'budgets: { day: { cst: 5 } }\n');
  await expect(source.read()).rejects.toThrow(ConfigError);
  await rm(userConfigPath);
  expect(await source.read()).toEqual({ day: null, project: null });
  await expect(fileBudgets({ userConfigPath: `${folder}\0` }).read()).rejects.toThrow();
});

test('a day is the one of the wall clock here', () => {
  const { dayOf } = fileBudgets({ userConfigPath: join(folder, 'none') });
  const noon = new Date(2026, 2, 4, 12).getTime();
  const { from, until } = dayOf(noon as never);
  expect(new Date(from)).toEqual(new Date(2026, 2, 4));
  expect(new Date(until)).toEqual(new Date(2026, 2, 5));
  expect(dayOf(from)).toEqual({ from, until });
  expect(dayOf(until).from).toBe(until);
});
