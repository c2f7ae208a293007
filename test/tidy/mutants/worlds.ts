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
];
