/** Who drives and who checks: one holder a seat (part of what every store promises). */
import { expect, test } from 'vitest';
import type { Seat, Store } from '../../src/ports/store.ts';

export function seats(store: () => Store): void {
  const seat = (pid: number, started: number, version = '1'): Seat => ({
    seat: 'driver',
    holder: { worker: 'here', bootId: 'boot', pid, started },
    version,
  });

  test('a seat has one holder, who keeps it and beats it', async () => {
    expect(await store().takeSeat(seat(1, 10), null)).toMatchObject({ ours: true });
    expect(await store().takeSeat(seat(1, 10), null)).toMatchObject({ ours: true });
    expect(await store().takeSeat(seat(2, 20), null)).toMatchObject({
      ours: false,
      row: { holder: { pid: 1 }, beat: 0 },
    });
    expect(await store().beatSeat(seat(1, 10))).toBe(true);
    expect(await store().beatSeat(seat(2, 20))).toBe(false);
    expect(await store().seats()).toMatchObject([{ seat: 'driver', beat: 1, version: '1' }]);
  });

  test('a reused pid is another holder (L-K5)', async () => {
    await store().takeSeat(seat(1, 10), null);
    expect(await store().takeSeat(seat(1, 11), null)).toMatchObject({ ours: false });
    expect(await store().beatSeat(seat(1, 11))).toBe(false);
  });

  test('a seat is taken over only as it was looked at', async () => {
    const { row } = await store().takeSeat(seat(1, 10), null);
    await store().beatSeat(seat(1, 10));
    expect(await store().takeSeat(seat(2, 20), row)).toMatchObject({ ours: false });
    const seen = (await store().seats())[0] ?? null;
    expect(await store().takeSeat(seat(2, 20, '2'), seen)).toMatchObject({
      ours: true,
      row: { holder: { pid: 2 }, beat: 0, version: '2' },
    });
    expect(await store().beatSeat(seat(1, 10))).toBe(false);
  });

  test('only its holder leaves a seat; then it is free', async () => {
    await store().takeSeat(seat(1, 10), null);
    await store().leaveSeat(seat(2, 20));
    expect(await store().seats()).toHaveLength(1);
    await store().leaveSeat(seat(1, 10));
    expect(await store().seats()).toEqual([]);
    expect(await store().takeSeat(seat(2, 20), null)).toMatchObject({ ours: true });
  });

  test('two seats have nothing to do with each other', async () => {
    await store().takeSeat(seat(1, 10), null);
    expect(await store().takeSeat({ ...seat(2, 20), seat: 'checks' }, null)).toMatchObject({
      ours: true,
    });
    expect((await store().seats()).map((row) => row.seat)).toEqual(['checks', 'driver']);
  });
}
