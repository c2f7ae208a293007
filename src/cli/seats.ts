import type { SeatRow } from '../ports/store.ts';

/** A driver that was started by the service says so in its version: `0.1.0+service`. */
export const isService = (version: string): boolean => version.endsWith('+service');

export const driverOf = ({ holder, version }: SeatRow) => ({
  pid: holder.pid,
  isService: isService(version),
});
