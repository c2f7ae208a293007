import { type ParkReason, parkReasons } from '../domain/run/park-reasons.ts';

/** Why a run can wait for its operator, for those who ask for one by name. */
export const everyParkReason: readonly ParkReason[] = Object.values(parkReasons).flat();
