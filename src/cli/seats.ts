import type { DriverSeat } from '../ports/client.ts';
import type { HealthCheck } from '../ports/health.ts';
import type { SeatRow } from '../ports/store.ts';

/** A driver that was started by the service says so in its version: `0.1.0+service`. */
export const isService = (version: string): boolean => version.endsWith('+service');

export const driverOf = ({ holder, version }: SeatRow) => ({
  pid: holder.pid,
  isService: isService(version),
});

/** Work is ready, and nobody pulls it. */
export const noDriver = {
  id: 'driver.seat',
  state: 'fail',
  detail: 'no driver: work is ready and no process does it',
  next: 'pawl service start',
} as const;

/** Nothing where its sweep works: what recovers lanes is then made less often, or not at all. */
export function sweepTrouble({ holder, failingSweeps }: DriverSeat): readonly HealthCheck[] {
  if (failingSweeps === undefined) return [];
  const { count, detail } = failingSweeps;
  const what = `the sweep of the driver, pid ${holder.pid}, failed ${count} times in a row`;
  const so = 'nothing stuck is recovered meanwhile';
  return [{ id: 'driver.sweeps', state: 'fail', detail: `${what} (${detail}): ${so}`, next: null }];
}
