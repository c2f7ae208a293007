/** Goal: one line tells of every pursuit where it stands; nothing is shown as better than it is. */
import { expect, test } from 'vitest';
import { exampleView } from '../../test/support/example-run.ts';
import { typed } from '../../test/support/scripted-cli.ts';
import { scriptedClient } from '../../test/support/scripted-client.ts';
import type { RunView } from '../ports/client.ts';

const noWork = { reason: 'no_timer', detail: 'it waits, and no timer will wake it' } as const;
const parked = { disposition: 'escalated', reason: 'attempts_exhausted' } as const;
const standings: readonly (readonly [short: string, Partial<RunView>, shown: string])[] = [
  ['aaaa', { status: 'active', phase: 'executing' }, 'active: executing'],
  ['bbbb', { status: 'paused', phase: null, execution: null }, 'paused'],
  [
    'cccc',
    { status: 'needs_operator', phase: null, execution: null, ...parked },
    'needs operator: attempts exhausted',
  ],
  [
    'dddd',
    { status: 'complete', phase: null, execution: null, verification: 'passed' },
    'complete',
  ],
  ['eeee', { status: 'active', phase: 'waiting', execution: null, noWork }, 'active: no work'],
];
const clientOf = (told: typeof standings) => {
  const id = (short: string) => `${short}00000000` as RunView['id'];
  return scriptedClient(
    told.map(([short, more]) => exampleView({ id: id(short), short, ...more })),
  );
};
const client = clientOf(standings);

test.each(standings)(
  'every one is listed with its status: %s (SL-28: of runs; named loops have no list yet)',
  async (short, _more, shown) => {
    const { exit, out } = await typed(['list', '-A'], { client });
    expect(exit).toBe(0);
    const row = out.split('\n').find((line) => line.startsWith(short)) ?? '';
    expect(row.split(/ {2,}/)[2]).toBe(shown);
  },
);

test('programs read the same, and why a run has no work (SL-28, RR-33)', async () => {
  const { out } = await typed(['list', '-A', '--json'], { client });
  const runs = JSON.parse(out).runs as readonly Readonly<Record<string, unknown>>[];
  expect(runs.map(({ short, status }) => `${short} ${status}`)).toEqual(
    standings.map(([short, { status }]) => `${short} ${status}`),
  );
  expect(runs.at(-1)).toMatchObject({ noWork, liveness: { state: 'no_work' } });
  expect(runs[0]).toMatchObject({ noWork: null });
});

test('a run without work stands above all groups of the status page (RR-33)', async () => {
  const { out, err } = await typed(['status'], {
    client: clientOf(standings.filter(([short]) => short !== 'dddd')),
  });
  expect(err).toBe('');
  const above = out.slice(0, out.indexOf('NEEDS YOU'));
  expect(above).toMatch(
    /^! fix-date-parsing eeee has no work: it waits, and no timer will wake it .*pawl show eeee$/m,
  );
  expect(out).toMatch(/^ ! fix-date-parsing eeee .*no work: it waits.*pawl show eeee$/m);
});

test('work that nobody does is trouble for programs too (UX 5.2)', async () => {
  const { out } = await typed(['status', '--json'], { client });
  const [trouble] = JSON.parse(out).trouble;
  expect(trouble).toMatchObject({ id: 'driver.seat', state: 'fail', next: 'pawl service start' });
});

test('a reason that no run can have is refused, with those that it can', async () => {
  const { exit, err } = await typed(['list', '--reason', 'foo'], { client });
  expect(exit).toBe(2);
  expect(err).toContain('attempts_exhausted');
  expect((await typed(['list', '--reason', 'attempts_exhausted'], { client })).out).toMatch(/cccc/);
});
