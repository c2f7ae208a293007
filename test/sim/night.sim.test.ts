/**
 * Goal: the morning after a bad night is told as it was, and every command that the page prints
 * works (UX 5.2, rulings 18 and 20, L-E9, L-O9).
 * Method: six runs in three projects over one night in fake time: one is verified, one spends its
 * attempts, one waits for a limit, one for a look, one has a question, and the lane of one is
 * killed. The terminals are closed, the driver is killed, the machine sleeps for four hours.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type } from './night/cli.ts';
import { hour, minute, tasks } from './night/story.ts';
import { type Night, night } from './night/world.ts';

const evening = Date.UTC(2026, 2, 3, 22, 10);
const midnight = Date.UTC(2026, 2, 4);
const at = (hours: number, minutes = 0): number => midnight + hours * hour + minutes * minute;

let here: Night;

beforeAll(async () => {
  here = await night(evening, at(9));
  here.startService();
  await here.until(evening + 1_000);
  const terminals = [];
  for (const [index, task] of tasks.entries()) {
    terminals.push(here.terminal(task));
    await here.until(evening + (index + 1) * 20_000);
  }
  await here.until(evening + 20 * minute);
  for (const terminal of terminals) terminal.kill();
  await here.until(evening + 40 * minute);
  const { id } = await here.client.find({ text: 'docs-links', project: null });
  kill((name) => name.startsWith(`lane ${id}.`));
  await here.until(at(0, 30));
  kill((name) => name === 'driver');
  await here.until(at(0, 30) + 5_000);
  here.startService();
  await here.until(at(2));
  here.projects.moveMain('dates', 4);
  here.sleep(4 * hour);
  await here.until(at(7, 8));
}, 120_000);

afterAll(async () => here.close());

/** SIGKILL. */
function kill(isIt: (name: string) => boolean): void {
  const found = here.machine.processes().filter(({ name }) => isIt(name));
  expect(found).toHaveLength(1);
  for (const process of found) process.kill();
}

test('the morning page is right to the character', async () => {
  const { exit, out, err } = await type(here, ['status']);
  expect({ exit, err }).toEqual({ exit: 0, err: '' });
  await expect(out).toMatchFileSnapshot('../golden/night/status.txt');
});

test('the page is the same again, fits a narrow terminal, and has its JSON', async () => {
  const before = (await type(here, ['status'])).out;
  expect((await type(here, ['status'])).out).toBe(before);
  const narrow = await type(here, ['status'], { columns: 60 });
  for (const { name } of tasks) expect(narrow.out).toContain(name);
  const { out } = await type(here, ['status', '--json']);
  const page = JSON.parse(out);
  expect(page.needsYou).toHaveLength(3);
  expect(page.totals).toMatchObject({ runs: 6 });
});

test('nothing that happened to pawl spent an attempt', async () => {
  const spent = await Promise.all(
    tasks.map(async ({ name }) => (await find(name)).counters.attempts),
  );
  expect(spent).toEqual([2, 5, 0, 2, 1, 0]);
  const asked = await find('i18n-settings');
  expect(asked.status).toBe('waiting_human');
  const killed = await here.client.events((await find('docs-links')).id, 0, 500);
  const recoveries = killed.filter(({ event }) => event.type === 'recovery.recorded');
  expect(recoveries).toHaveLength(1);
  expect(killed.some(({ event }) => event.type === 'machine.slept')).toBe(true);
});

test('every command on the page does what it says', async () => {
  const page = (await type(here, ['status'])).out;
  const commands = [...page.matchAll(/pawl (\w+) (\w{4})/g)].map(([, verb, run]) => [verb, run]);
  expect(commands.map(([verb]) => verb).sort()).toEqual([
    'approve',
    'diff',
    'land',
    'show',
    'show',
    'watch',
    'watch',
  ]);
  for (const [verb = '', run = ''] of commands) {
    const more = verb === 'watch' ? ['--timeout', '5s'] : [];
    const { exit, err } = await type(here, [verb, run, ...more], {
      key: verb === 'approve' ? 'y' : null,
    });
    expect({ verb, exit, err }).toEqual({ verb, exit: verb === 'watch' ? 124 : 0, err: '' });
  }
  expect(await find('fix-date-parsing')).toMatchObject({ landed: { into: 'main' } });
  expect(await find('i18n-settings')).toMatchObject({ status: 'complete', verification: 'passed' });
});

test('what the pages of the parked runs offer works too, and a limit ends by itself (L-O9, L-E9)', async () => {
  const parked = await find('upgrade-vite');
  const [best] = parked.options;
  expect(best?.command).toBe(`pawl resume ${parked.short} --attempts +3 --from-attempt 4`);
  const resumed = await type(here, (best?.command ?? '').split(' ').slice(1));
  expect(resumed).toMatchObject({ exit: 0, err: '' });
  const asked = await find('add-csv-export');
  const answered = await type(here, ['answer', asked.short, 'the same columns as the API']);
  expect(answered).toMatchObject({ exit: 0, err: '' });
  await here.until(at(9, 2));
  expect(await find('flaky-login-test')).toMatchObject({
    phase: 'executing',
    attempt: { n: 2 },
    counters: { attempts: 1 },
  });
  expect(await find('upgrade-vite')).toMatchObject({ counters: { resumed: 1, attempts: 8 } });
});

test('without a driver the page says so first; it starts none and writes nothing', async () => {
  kill((name) => name === 'driver');
  const versions = async () => (await here.store.runs({ limit: 99 })).map(({ version }) => version);
  const before = await versions();
  const { out } = await type(here, ['status']);
  expect(out.split('\n')[0]).toBe(
    '! no driver: work is ready and no process does it → pawl service start',
  );
  expect(await versions()).toEqual(before);
  expect(here.machine.processes().some(({ name }) => name === 'driver')).toBe(false);
});

const find = (name: string) => here.client.find({ text: name, project: null });
