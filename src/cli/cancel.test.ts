import { expect, test } from 'vitest';
import { exampleView } from '../../test/support/example-run.ts';
import { typed } from '../../test/support/scripted-cli.ts';
import { scriptedClient } from '../../test/support/scripted-client.ts';
import type { RunView } from '../ports/client.ts';

const { counters, execution } = exampleView();
const begun = { ...counters, executions: 2 };
const unbegun = { head: null, attempts: [], counters: { ...counters, executions: 1 } } as const;
const cancelled = { ...unbegun, status: 'cancelled', execution: null } as const;
const cancelling = { ...unbegun, status: 'cancelling' } as const;
const preparing = execution && {
  ...execution,
  job: { ...execution.job, role: 'prepare' } as const,
};

const words: readonly (readonly [string, Partial<RunView>, string])[] = [
  ['nobody had begun', cancelled, 'cancelled; nothing was begun'],
  ['a lane had begun', { ...cancelled, counters: begun }, 'cancelled; the work is kept'],
  ['setup runs', { ...cancelling, execution: preparing }, 'cancelling; nothing was begun'],
  ['the first lane works', cancelling, 'cancelling; the work is kept'],
  ['a commit is there', { status: 'cancelled', execution: null }, 'cancelled; the work is kept'],
];
test.each(words)(
  'what is told of the work of a run that is cancelled: %s',
  async (_, after, line) => {
    const view = exampleView();
    const client = scriptedClient([view]);
    const told = { ...client, cancel: async () => exampleView(after) };
    const { exit, out } = await typed(['cancel', view.short], { client: told });
    expect(exit).toBe(0);
    expect(out).toContain(line);
  },
);

const ref = 'refs/pawl/lost/01j8kq.1';
const unrecorded = exampleView({ ...cancelled, head: null, phase: null });
test('what a cancelled run had not recorded is named where it is kept (UX 2.4)', async () => {
  const view = exampleView();
  const client = { ...scriptedClient([view]), cancel: async () => unrecorded };
  const said = await typed(['cancel', view.short], { client, kept: [ref] });
  expect(said.out).toContain(`cancelled; the work is kept: ${ref}`);
  const json = await typed(['cancel', view.short, '--json'], { client, kept: [ref] });
  expect(JSON.parse(json.out).salvaged).toBe(ref);
  const none = await typed(['cancel', view.short, '--json'], { client });
  expect(JSON.parse(none.out).salvaged).toBeNull();
});

test('the page of a cancelled run leads to the work that is kept, not to itself (UX 0.3)', async () => {
  const told = { client: scriptedClient([unrecorded]), kept: [ref] } as const;
  const { out } = await typed(['show', unrecorded.short], told);
  expect(out).toMatch(new RegExp(`kept +what was not recorded: ${ref}`));
  expect(out).toMatch(/next +pawl diff 7k2m/);
  expect(out).toContain(`git branch rescued ${ref}`);
  expect(out).not.toContain('pawl show');
  const json = await typed(['show', unrecorded.short, '--json'], told);
  expect(JSON.parse(json.out).salvaged).toBe(ref);
});
