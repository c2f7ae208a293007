/** Leases: how they live, by whose clock they end, and what then becomes of their holder. */
import { conformance, type Mutant, sim, unit } from './mutant.ts';

const faults = 'test/conformance/postgres-faults.test.ts';
const vanished = 'test/sim/vanished-worker.sim.test.ts';

export const leases: readonly Mutant[] = [
  {
    id: 'lease-by-wall-clock',
    file: 'src/host/lease.ts',
    find: 'const nowMs = () => clock.monotonicMs() + sleptMs();',
    replace: 'const nowMs = () => clock.now() + sleptMs();',
    why: 'a clock that is set would end a lease, or keep one that is over',
    caughtBy: unit('src/host/lease.test.ts'),
  },
  {
    id: 'lease-sleep-not-counted',
    file: 'src/host/lease.ts',
    find: 'const nowMs = () => clock.monotonicMs() + sleptMs();',
    replace: 'const nowMs = () => clock.monotonicMs();',
    why: 'a machine that slept past its lease would go on when it wakes',
    caughtBy: unit('src/host/lease.test.ts'),
  },
  {
    id: 'store-clock-own',
    file: 'src/store/postgres/store-clock.ts',
    find: 'return { clock: told.clock, ask,',
    replace: 'return { clock: own, ask,',
    why: 'servers would date leases, offers and tokens by clocks that differ',
    caughtBy: conformance('test/conformance/plane-skew.test.ts'),
  },
  {
    id: 'lease-never-expires',
    file: 'src/store/postgres/sql/writes.ts',
    find: 'where not l.expired and l.expires_at <= clock_timestamp() and f.value = $1',
    replace: "where not l.expired and l.expires_at <= 'epoch'::timestamptz and f.value = $1",
    why: 'what a vanished worker held would be held for ever',
    caughtBy: { ...conformance(faults), title: 'a lease that is not renewed expires' },
  },
  {
    id: 'beat-extends-nothing',
    file: 'src/store/postgres/sql/writes.ts',
    find: 'usage = coalesce($6, l.usage), expires_at = ',
    replace:
      "usage = coalesce($6, l.usage), expires_at = l.expires_at + 0 * $7::float8 * interval '1 s' --",
    why: 'who works longer than one lease would lose it',
    caughtBy: { ...conformance(faults), title: 'a heartbeat extends the lease' },
  },
  {
    id: 'beat-of-another-grant',
    file: 'src/store/postgres/sql/writes.ts',
    find: 'where l.execution = e.seq and l.grant_id = $3 and not l.expired and f.value = $1',
    replace: "where l.execution = e.seq and $3 <> '' and not l.expired and f.value = $1",
    why: 'who was fenced off would keep the lease of his successor alive',
    caughtBy: conformance('test/conformance/postgres-store.test.ts'),
  },
  {
    id: 'beat-of-another-grant-in-a-file',
    file: 'src/store/sql/leases.ts',
    find: `where execution = (select seq from executions where id = $1) and grant_id = $2
  and expires_at is null\`);`,
    replace: `where execution = (select seq from executions where id = $1)
  and expires_at is null and $2 <> ''\`);`,
    why: 'who was fenced off would keep the lease of his successor alive',
    caughtBy: conformance('test/conformance/sqlite-store.test.ts'),
  },
  {
    id: 'expired-beats-again',
    file: 'src/store/sql/leases.ts',
    find: `and grant_id = $2
  and expires_at is null\`);`,
    replace: 'and grant_id = $2`);',
    why: 'whose loss is decided would come back beside his successor',
    caughtBy: conformance('test/conformance/sqlite-store.test.ts'),
  },
  {
    id: 'silence-at-first-sight',
    file: 'src/host/adoption.ts',
    find: 'return looks < 3 ? 0 : stillMs;',
    replace: 'return stillMs;',
    why: 'a worker that beats would be lost because its watcher stood still',
    caughtBy: unit('src/host/adoption.test.ts'),
  },
  {
    id: 'own-standstill-is-silence',
    file: 'src/host/adoption.ts',
    find: 'const step = isSame ? Math.min(lookedAt - last.lookedAt, stepMsMax) : 0;',
    replace: 'const step = isSame ? lookedAt - last.lookedAt : 0;',
    why: 'a driver that slept would take every holder for silent',
    caughtBy: unit('src/host/local-lanes.test.ts'),
  },
  {
    id: 'vanished-not-decided-first',
    file: 'src/engine/sweep.ts',
    find: '(await engine.store.expireSilent(open)) && ends.lose(open, expiredLease, fencedOff);',
    replace: 'ends.lose(open, expiredLease, fencedOff);',
    why: 'a beat between look and loss would be answered yes, and the work be done twice',
    caughtBy: sim(vanished),
  },
  {
    id: 'dead-lane-kept',
    file: 'src/domain/recovery/lane.ts',
    find: "return { ...died, detail: 'its host is gone and left no result', ...lost };",
    replace: 'return lost === null ? null : leave;',
    why: 'a run whose lane is positively dead would be shown as at work for ever',
    caughtBy: sim('test/sim/cancel-paths.sim.test.ts'),
  },
  {
    id: 'rerun-while-holder-lives',
    file: 'src/engine/supervise/endings.ts',
    find: "return after.state === 'alive' ? false : lose(open, lost, proof);",
    replace: 'return lose(open, lost, proof);',
    why: 'two lanes would write in one tree',
    caughtBy: unit('src/engine/sweep-expired.test.ts'),
  },
];
