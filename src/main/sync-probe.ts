/**
 * `sync-probe <directory> <commits>`: a store in a folder of its own, and so many commits. `pawl
 * doctor` runs it under a trace, to see whether each of them asks the disk to keep it.
 */
import { nodeClock } from '../host/clock.ts';
import { selfHolder } from '../host/identity.ts';
import { sqliteStore } from '../store/sqlite/sqlite-store.ts';

const [, , directory = '', commits = '0'] = process.argv;
const store = await sqliteStore({ directory, clock: nodeClock() });
const seat = { seat: 'driver', holder: selfHolder('probe'), version: 'probe' } as const;
await store.takeSeat(seat, null);
for (let done = 0; done < Number(commits); done += 1) await store.beatSeat(seat);
await store.close();
