/** What every store promises of hints and of leases that are kept (src/ports/store.ts). */
import { expect, test } from 'vitest';
import { command, decideTest, executionId, grantOf, holder, runId } from './deciding.ts';
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

const id = executionId(run, 1);
const beat = (grant: string, n: number) => ({
  ...{ execution: id, grantId: grantOf(grant), beat: n, signals: '{}', usage: null },
});
const claim = (grant: string) => command(run, { type: 'claim', grantId: grantOf(grant), holder });

/** What a store promises that has no clock of its own: an observer decides. */
export function silentSuite(name: string, open: () => Promise<Opened>): void {
  test(`${name}: a lease that an observer decided expired is refused from then on, and taken over (XP-9, XP-11)`, async () => {
    const { store, close } = await open();
    const began = [command(run, { type: 'start' }), command(run, { type: 'dispatch' }), claim('a')];
    await store.transact(began, decideTest);
    await store.heartbeat(beat('a', 1));
    const [seen] = await store.openExecutions();
    if (seen === undefined) throw new Error('nothing is open');
    expect(await store.expireSilent({ ...seen, beat: 0 }), 'it has beaten since').toBe(false);
    const lease = { grantId: grantOf('b'), holder };
    expect(await store.expireSilent({ ...seen, lease }), 'another grant').toBe(false);
    expect(await store.expireSilent({ ...seen, lease: null })).toBe(false);
    expect(await store.expireLeases()).toEqual([]);
    expect(await store.expireSilent(seen)).toBe(true);
    expect(await store.expireSilent(seen), 'once').toBe(false);
    expect(await store.heartbeat(beat('a', 2))).toEqual({ ok: false, reason: 'grant.stale' });
    expect(await store.expireLeases()).toMatchObject([{ id, lease: { grantId: grantOf('a') } }]);
    await store.transact([claim('b')], decideTest);
    expect(await store.expireLeases(), 'a new grant is not expired').toEqual([]);
    expect(await store.heartbeat(beat('b', 1))).toMatchObject({ ok: true });
    await close();
  });
}
