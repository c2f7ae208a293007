/** What no single test of a module would see: whole worlds, judged by the oracle (test/sim). */
import { type Mutant, sim } from './mutant.ts';

/** Some seeds; the others have the same weather. */
const worlds = {
  ...sim('test/sim/worlds-first.sim.test.ts'),
  title: 'worlds from seed 51',
} as const;

export const worldly: readonly Mutant[] = [
  {
    id: 'world-of-spent-attempts',
    file: 'src/domain/run/recovery.ts',
    find: 'const recovered = record(draft, stage, failure, action);\n',
    replace:
      'const recovered = failAttempt(record(draft, stage, failure, action), { ...unmeasured, summary: failure.detail });\n',
    why: 'trouble of machines would spend attempts',
    caughtBy: worlds,
  },
  {
    id: 'world-of-lost-timers',
    file: 'src/engine/timers.ts',
    find: 'await Promise.all(due.map(fire));',
    replace: 'await Promise.all(due.slice(1).map(fire));',
    why: 'a run that waits would never be woken',
    caughtBy: worlds,
  },
  {
    id: 'world-of-lost-pages',
    file: 'src/engine/escalations.ts',
    find: 'for (const id of due) await tryOne(id);',
    replace: 'for (const id of due.slice(1)) await tryOne(id);',
    why: 'what the lane of a parked run printed would be gone with its spool',
    caughtBy: worlds,
  },
  {
    id: 'world-of-dead-lanes',
    file: 'src/domain/recovery/lane.ts',
    find: "      return { ...died, detail: 'its host is gone and left no result', ...lost };",
    replace: '      return null;',
    why: 'a lane that died would be waited for until its window was over',
    caughtBy: worlds,
  },
  {
    id: 'world-of-seals-left-behind',
    file: 'src/domain/recovery/lane.ts',
    find: "      return { do: 'submit' };",
    replace: '      return null;',
    why: 'what a host sealed before it died would lie in its spool',
    caughtBy: worlds,
  },
  {
    id: 'world-of-stalled-lanes',
    file: 'src/domain/recovery/lane.ts',
    find: 'idle: (facts, figures) => (isStalled(facts) ? stalled(facts, figures) : null)',
    replace: 'idle: () => null',
    why: 'a lane that says itself that it stands still would be let stand',
    caughtBy: worlds,
  },
  {
    id: 'world-of-stopped-hosts',
    file: 'src/domain/recovery/lane.ts',
    find: "if (sighted !== 'silent' || forMs < ttlMs) return null;",
    replace: 'return null;',
    why: 'a host that is stopped would hold its lease for as long as it likes',
    caughtBy: worlds,
  },
  {
    id: 'world-of-endless-requeues',
    file: 'src/domain/recovery/figures.ts',
    find: 'if (spent.requeues >= figures.requeues) return false;',
    replace: '',
    why: 'a lane that dies each time would be started for ever',
    caughtBy: worlds,
  },
  {
    id: 'world-of-spent-recoveries',
    file: 'src/domain/run/evolve-stage.ts',
    find: 'isNewJob ? noRecoveries(facts.counters) : {}',
    replace: '{}',
    why: 'a job would pay for the recoveries of those before it',
    caughtBy: worlds,
  },
  {
    id: 'world-of-two-writers',
    file: 'src/engine/supervise/endings.ts',
    find: 'const proof = await lanes.end(open);\n    const after',
    replace: "const proof = { strength: 'kernel', rung: 'x', gaps: [] } as const;\n    const after",
    why: 'a lane would be followed in its tree while it still writes there',
    caughtBy: worlds,
  },
];
