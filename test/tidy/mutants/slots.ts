/** Groups and slots, in one process and over HTTP. */
import { conformance, type Mutant, unit } from './mutant.ts';

const offers = 'test/conformance/plane-offers.test.ts';
const drivers = 'test/conformance/many-drivers.test.ts';

export const slots: readonly Mutant[] = [
  {
    id: 'offer-without-turn',
    file: 'src/store/postgres/sql/writes.ts',
    find: '    and ($5::text is null or exists (select from t))',
    replace: '    and ($5::text is null or (select count(*) from t) >= 0)',
    why: 'of two drivers each would give away the last slot',
    caughtBy: conformance(drivers),
  },
  {
    id: 'turn-not-named',
    file: 'src/engine/dispatch.ts',
    find: 'if (!(await engine.store.offer(row.id, now, until, turn))) return false;',
    replace: 'if (!(await engine.store.offer(row.id, now, until))) return false;',
    why: 'whose turn is over would go on to give slots away',
    caughtBy: unit('src/engine/dispatch.test.ts'),
  },
  {
    id: 'turn-not-taken',
    file: 'src/engine/driver-roles.ts',
    find: '      slots,\n      lies: place.lies,',
    replace: '      slots: (act) => act(undefined),\n      lies: place.lies,',
    why: 'two drivers would count the same free slot at the same time',
    caughtBy: unit('src/engine/driver-roles.test.ts'),
  },
  {
    id: 'group-not-counted',
    file: 'src/engine/capacity.ts',
    find: 'if (runs.size + (await before(run)) >= run.max) return false;',
    replace: 'if (runs.size + (await before(run)) < 0) return false;',
    why: 'a group would have more lanes at work than it allows',
    caughtBy: unit('src/engine/capacity.test.ts'),
  },
  {
    id: 'queue-jumped',
    file: 'src/engine/capacity.ts',
    find: 'if (runs.size + (await before(run)) >= run.max) return false;',
    replace: 'if (runs.size >= run.max) return false;',
    why: 'a later run would take the slot of one that waits',
    caughtBy: unit('src/engine/capacity.test.ts'),
  },
  {
    id: 'group-not-held-over-http',
    file: 'src/engine/plane-offers.ts',
    find: 'if (one !== undefined && (await refused(row)) === null) yield one;',
    replace: 'if (one !== undefined && (await refused(row)) !== undefined) yield one;',
    why: 'workers would be offered more lanes than a group allows, and past every budget',
    caughtBy: conformance(offers),
  },
  {
    id: 'group-not-recounted',
    file: 'src/engine/plane-offers.ts',
    find: 'if (isCheck(row) || (await admission.isWithin(row.run))) return true;',
    replace: 'if (row.id !== undefined) return true;',
    why: 'two servers that look at the same time would each fill the last slot of a group',
    caughtBy: unit('src/engine/plane-offers.test.ts'),
  },
  {
    id: 'offers-over-free-slots',
    file: 'src/engine/plane-offers.ts',
    find: 'const room = Math.min(request.free, request.slots - held, offersMax);',
    replace: 'const room = Math.min(request.free, offersMax);',
    why: 'a worker would be offered more than it may hold',
    caughtBy: unit('src/engine/plane-offers.test.ts'),
  },
  {
    id: 'slots-given-to-oneself',
    file: 'src/http/plane/worker-handlers.ts',
    find: 'const own = Math.min(slots, known.slots);',
    replace: 'const own = slots;',
    why: 'a worker would be offered more than its owner enrolled it for',
    caughtBy: conformance(offers),
  },
  {
    id: 'claims-over-slots',
    file: 'src/engine/engine.ts',
    find: 'const isFull = decided.ok && slots !== undefined && held >= slots;',
    replace: 'const isFull = decided.ok && slots !== undefined && held > slots;',
    why: 'a worker that claims at once what it was offered would hold more than its slots',
    caughtBy: conformance(offers),
  },
  {
    id: 'code-used-twice',
    file: 'src/engine/plane-workers.ts',
    find: 'kept, null))) return null;',
    replace: 'kept, kept))) return null;',
    why: 'a code that leaked would enrol a second worker',
    caughtBy: unit('src/engine/plane-workers.test.ts'),
  },
];
