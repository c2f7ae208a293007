/**
 * What was done that a run goes on, and what became of it: after a lane was lost, and after a
 * verification that came to no clear word, which is tried again in the same way.
 */
import type { StoredEvent } from './store.ts';
import type { LastSigns } from './words.ts';

export interface RecoveryStory {
  readonly at: number;
  readonly execution: string;
  /** Of the loss, or the outcome that is no clear word. */
  readonly class: string;
  readonly action: string;
  /** It ended since somebody asked for it: no recovery was needed. */
  readonly isAsked: boolean;
  readonly detail: string;
  readonly attempt: number | null;
  /** What its lane was last seen to do; null: it is not known. */
  readonly signs: LastSigns | null;
  /** The execution that was to go on; null: none was. */
  readonly next: string | null;
  /** That one has ended by its own result. */
  readonly hasHelped: boolean;
}

type Recoveries = readonly RecoveryStory[];
type EventOf<T extends StoredEvent['event']['type']> = Extract<StoredEvent['event'], { type: T }>;

const keptMax = 100;
const verifyAgain = 'verify_again';
/** After these the run went on by itself. */
const goingOn: readonly string[] = [
  'requeue',
  'transfer',
  'fresh_session',
  'backed_off',
  verifyAgain,
];
const clear: readonly string[] = ['passed', 'failed'];

/** How an execution was lost; null: it was not, or not yet. */
export function lossOf(
  { recoveries }: { readonly recoveries: Recoveries },
  execution: string | null,
): RecoveryStory | null {
  return recoveries.find((one) => one.execution === execution && !one.isAsked) ?? null;
}

export function recovered(
  recoveries: Recoveries,
  event: EventOf<'recovery.recorded'>,
  known: Pick<RecoveryStory, 'at' | 'attempt' | 'signs'>,
): Recoveries {
  const { execution, class: what, action, asked, detail } = event;
  const told = { execution, class: what, action, isAsked: asked !== undefined, detail };
  return [...recoveries, { ...known, ...told, next: null, hasHelped: false }].slice(-keptMax);
}

/** Its execution has ended by a result, but that one says nothing clear. */
export function verifiedUnclearly(
  recoveries: Recoveries,
  { execution, attempt, facts }: EventOf<'verification.recorded'>,
  at: number,
): Recoveries {
  const { outcome, summary } = facts;
  if (clear.includes(outcome) || execution === null) return recoveries;
  const before = recoveries.map((one) =>
    one.next === execution ? { ...one, hasHelped: false } : one,
  );
  const told = { execution, class: outcome, action: verifyAgain, isAsked: false, detail: summary };
  const rest = { attempt, signs: null, next: null, hasHelped: false };
  return [...before, { at, ...told, ...rest }].slice(-keptMax);
}

/** The run went on by this execution, if the last recovery was to let it go on. */
export function followed(recoveries: Recoveries, execution: string): Recoveries {
  const last = recoveries.at(-1);
  if (last === undefined || last.next !== null || !goingOn.includes(last.action)) {
    return recoveries;
  }
  return [...recoveries.slice(0, -1), { ...last, next: execution }];
}

export const helped = (recoveries: Recoveries, execution: string): Recoveries =>
  recoveries.map((one) => (one.next === execution ? { ...one, hasHelped: true } : one));

/** The attempt failed by it: that is told with the attempt, unless it was tried again before. */
export function failedBy(recoveries: Recoveries): Recoveries {
  const last = recoveries.at(-1);
  if (last === undefined || !isOpen(recoveries)) return recoveries;
  const isRetry = recoveries.some(({ next }) => next === last.execution);
  return isRetry ? givenUp(recoveries) : recoveries.slice(0, -1);
}

/** It was not tried again. */
export function givenUp(recoveries: Recoveries): Recoveries {
  const last = recoveries.at(-1);
  if (last === undefined || !isOpen(recoveries)) return recoveries;
  return [...recoveries.slice(0, -1), { ...last, action: 'give_up' }];
}

function isOpen(recoveries: Recoveries): boolean {
  const last = recoveries.at(-1);
  return last?.action === verifyAgain && last.next === null;
}
