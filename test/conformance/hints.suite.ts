/** What every store promises of hints and of leases that are kept (src/ports/store.ts). */
import { expect, test } from 'vitest';
import { command, decideTest, grantOf, holder, runId } from './deciding.ts';
import type { Opened } from './store.suite.ts';

const run = runId('one');

export function hintSuite(name: string, open: () => Promise<Opened>): void {
  test(`${name}: whoever asked for hints hears soon after a commit, until he has had enough (D-111)`, async () => {
    const { store, close } = await open();
    let heard = () => {};
    const hint = new Promise<void>((resolve) => {
      heard = resolve;
    });
    const stop = store.hints(() => heard());
    await store.transact([command(run, { type: 'start' })], decideTest);
    await hint;
    stop();
    await close();
  });

  test(`${name}: a lease that is kept is not expired (XP-10)`, async () => {
    const { store, close } = await open();
    const commands = [
      command(run, { type: 'start' }),
      command(run, { type: 'dispatch' }),
      command(run, { type: 'claim', grantId: grantOf('a'), holder }),
    ];
    await store.transact(commands, decideTest);
    expect(await store.expireLeases()).toEqual([]);
    await close();
  });
}
