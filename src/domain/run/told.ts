/**
 * What notices and sleep change of a run, for `evolve`; what leads to them is decided elsewhere.
 */
import { after } from '../ids.ts';
import type { RunEvent } from './message.ts';
import type { LivingRun, Notices } from './state.ts';

type Event<T extends RunEvent['type']> = Extract<RunEvent, { type: T }>;
type Slept = Event<'machine.slept'>;

/** Of a plan, and of what a run keeps. */
export const targetsMax = 8;

const none: Notices = { seen: 0, pending: [], told: [] };
export const noticesOf = ({ notices = none }: LivingRun): Notices => notices;

export function afterPlan(run: LivingRun, event: Event<'notice.planned'>): Notices {
  const { about, kind } = event;
  const { pending, told } = noticesOf(run);
  const planned = event.to.map((to) => ({ about, kind, to }));
  return { seen: about, pending: [...pending, ...planned].slice(-targetsMax), told };
}

export function afterNotice(run: LivingRun, event: Event<'notice.recorded'>): Notices {
  const { seen, pending, told } = noticesOf(run);
  const { about, to, state, detail } = event;
  const before = told.find((one) => one.to === to);
  const { delivered = 0, notDelivered = 0, detail: last = '' } = before ?? {};
  const counted =
    state === 'delivered'
      ? { to, delivered: delivered + 1, notDelivered, detail: last }
      : { to, delivered, notDelivered: notDelivered + 1, detail };
  return {
    seen,
    pending: pending.filter((one) => one.about !== about || one.to !== to),
    told: [...told.filter((one) => one !== before), counted].slice(-targetsMax),
  };
}

/** The stretch of active time begins as much later as the machine slept within it. */
export function afterSleep(run: LivingRun, { since, until, at }: Slept): LivingRun['activeSince'] {
  const begun = run.activeSince;
  if (begun === null) return null;
  const sleptMs = Math.max(0, until - Math.max(since, begun));
  return begun + sleptMs > at ? at : after(begun, sleptMs);
}
