import { expect, test } from 'vitest';
import { exampleView } from '../../test/support/example-run.ts';
import { typed } from '../../test/support/scripted-cli.ts';
import { scriptedClient } from '../../test/support/scripted-client.ts';
import type { RunView } from '../ports/client.ts';

const unbegun = { head: null, attempts: [] } as const;
const cancelled = { ...unbegun, status: 'cancelled', execution: null } as const;
const cancelling = { ...unbegun, status: 'cancelling' } as const;
const { execution } = exampleView();
const preparing = execution && {
  ...execution,
  job: { ...execution.job, role: 'prepare' } as const,
};

const words: readonly (readonly [string, Partial<RunView>, string])[] = [
  ['nobody had begun', cancelled, 'cancelled; nothing was begun'],
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
