/** A cancel always ends, is told at once, and erases nothing. */
import { type Mutant, sim, unit } from './mutant.ts';

const paths = sim('test/sim/cancel-paths.sim.test.ts');

export const cancels: readonly Mutant[] = [
  {
    id: 'cancel-never-given-up',
    file: 'src/domain/run/timers.ts',
    find: 'return isDue ? giveUpCancel(run, command.at) : null;',
    replace: 'return isDue ? null : null;',
    why: 'a host that lives and never answers would keep its run cancelling for ever',
    caughtBy: paths,
  },
  {
    id: 'council-outlives-its-park',
    file: 'src/domain/run/decide.ts',
    find: 'return closed.length === 0 ? decided : ok([...closed, ...decided.value]);',
    replace: 'return closed.length === 0 ? decided : ok([...decided.value]);',
    why: 'lanes that nobody awaits would go on beside the run',
    caughtBy: unit('src/domain/run/council.test.ts'),
  },
  {
    id: 'cancel-unproven-not-told',
    file: 'src/domain/run/job-ended.ts',
    find: 'unproven: proven ? run.unproven : [...run.unproven, execution],',
    replace: 'unproven: run.unproven,',
    why: 'nobody would hear that something may still run',
    caughtBy: paths,
  },
  {
    id: 'given-up-unproven-not-told',
    file: 'src/domain/run/trouble.ts',
    find: 'const unproven = [...run.unproven, execution];',
    replace: 'const unproven = [...run.unproven];',
    why: 'nobody would hear that something may still run',
    caughtBy: paths,
  },
  {
    id: 'cancel-proven-by-word',
    file: 'src/domain/execution/end.ts',
    find: "if (isLane(state) && proof === 'unproven') {",
    replace: "if (isLane(state) && proof !== 'unproven' && proof === 'unproven') {",
    why: 'a lane that may still run would be recorded as cancelled',
    caughtBy: paths,
  },
  {
    id: 'cancel-of-lost-proven',
    file: 'src/domain/execution/end.ts',
    find: "const isUnproven = state.cancelAsked && proof === 'unproven';",
    replace:
      "const isUnproven = state.cancelAsked && proof === 'unproven' && failure === 'lane_died';",
    why: 'a worker that vanished would count as one that has cancelled',
    caughtBy: paths,
  },
  {
    id: 'cancel-not-told-with-beat',
    file: 'src/store/projection.ts',
    find: "cancel: run.status === 'cancelling' || (held !== null && isCancelAsked(held)),",
    replace: 'cancel: held !== null && held.no === -1,',
    why: 'whoever works would work on until its deadline',
    caughtBy: paths,
  },
  {
    id: 'cancel-leaves-unclaimed',
    file: 'src/domain/run/steer.ts',
    find: 'return ok(cancelledNow(draftOf(run, at), { ...said, withdraws: execution }).events);',
    replace: 'return ok(cancelledNow(draftOf(run, at), said).events);',
    why: 'a job of a cancelled run would be there to be claimed',
    caughtBy: paths,
  },
  {
    id: 'cancel-twice-renews',
    file: 'src/domain/run/steer.ts',
    find: 'if (now !== true || run.now === true) return [];',
    replace: '',
    why: 'who is impatient would be written down each time',
    caughtBy: unit('src/domain/run/steer.test.ts'),
  },
  {
    id: 'cancel-keeps-question',
    file: 'src/domain/run/steer.ts',
    find: "const voided = closeBySystem(run, at, 'voided');",
    replace: 'const voided = draftOf<LivingRun>(run, at);',
    why: 'a human would be asked for a run that is cancelled',
    caughtBy: paths,
  },
  {
    id: 'cancel-drops-last-work',
    file: 'src/domain/run/job-ended.ts',
    find: 'const recorded = add(draftOf(run, at), ...lastWork(run, end));',
    replace: 'const recorded = add(draftOf(run, at), ...lastWork(run, end).slice(0, 1));',
    why: 'what was sealed before the cancel was heard would be lost',
    caughtBy: paths,
  },
];
