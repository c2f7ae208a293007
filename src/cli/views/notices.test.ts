/** Goal: a notice that did not arrive, and a machine that slept, are said where people look. */
import { expect, test } from 'vitest';
import { exampleView } from '../../../test/support/example-run.ts';
import type { RunView } from '../../ports/client.ts';
import { noDriver } from '../seats.ts';
import { groupRuns, type StatusPage, statusLines } from './status.ts';

const page = (views: readonly RunView[], more: Partial<StatusPage> = {}): string[] =>
  statusLines({
    groups: groupRuns(views),
    driver: { pid: 4122, isService: true },
    now: 0,
    at: () => '22:10',
    since: '22:10',
    called: 'pawl',
    columns: 100,
    ...more,
  });
const told = (to: string, delivered: number, notDelivered: number, detail: string) => ({
  notices: [{ to, delivered, notDelivered, detail }],
});

test('what was not delivered comes above all groups, by place (L-H9, UX 5.2)', () => {
  const lines = page([
    exampleView(told('desktop', 0, 1, 'no display')),
    exampleView(told('desktop', 0, 1, 'no display')),
    exampleView(told('ntfy:ntfy.sh', 4, 0, '')),
  ]);
  expect(lines[0]).toBe('! desktop: 2 of 2 not delivered: no display');
  expect(lines.join('\n')).not.toContain('ntfy');
});

test('the driver of the service is called that (UX 5.2)', () => {
  expect(page([])[0]).toMatch(/ · driver: service, pid 4122$/);
  expect(page([], { driver: { pid: 7, isService: false } })[0]).toMatch(/ · driver: pid 7$/);
});

test('work without a driver names the command that gives one (UX 3.1)', () => {
  expect(page([exampleView()], { driver: null, trouble: [noDriver] })[0]).toBe(
    '! no driver: work is ready and no process does it → pawl service start',
  );
});
