/** A store as it is found; who of its seats lives is for others to say. */

import type { SeatRow } from '../ports/store.ts';
import type { StoreStatus } from '../ports/store-admin.ts';

export type BareStatus = Omit<StoreStatus, 'seats'> & { readonly seats: readonly SeatRow[] };
