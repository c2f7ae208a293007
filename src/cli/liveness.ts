/**
 * What can be said about the lane of a run now, from its lease row: a projection, never a state.
 */
import { fieldsOf, numberOf, parsedJson, textOf } from '../kernel/json.ts';
import type { RunView } from '../ports/client.ts';
import { calledAs } from './called.ts';
import { shortSpan, span } from './format.ts';
import { noDriver } from './seats.ts';
import { clean } from './text.ts';

export interface Liveness {
  readonly state: string;
  /** Why, where a state has several reasons: `model_wait`, `frozen`, … */
  readonly reason: string | null;
  readonly since: number | null;
  readonly deadline: number | null;
  readonly detail: string | null;
}
/** What only some lanes tell. */
interface LaneTold {
  readonly lastFileAt: number | null;
  readonly modelSince: number | null;
  readonly nudge: { readonly n: number; readonly of: number } | null;
}

/** Null when no execution is open. Signals are outside data: read by type, never by truthiness. */
export function livenessOf(view: RunView): Liveness | null {
  const { execution, noWork } = view;
  if (noWork !== undefined) return { ...atRest, reason: noWork.reason, detail: noWork.detail };
  if (execution === null) return null;
  if (execution.holderGone === true) return gone;
  const signals = fieldsOf(parsedJson(execution.signals ?? ''));
  return {
    state: textOf(signals['state']) ?? lifecycle(execution.status),
    reason: textOf(signals['reason']),
    since: numberOf(signals['since']) ?? execution.dispatchedAt,
    deadline: numberOf(signals['deadline']),
    detail: textOf(signals['detail']) ?? textOf(signals['tool']),
  };
}

const deliveries = ['sent', 'seen', 'started', 'failed'] as const;
export type Delivery = (typeof deliveries)[number];

/**
 * What became of the prompt of the present turn, as its host told last; null: it was not sent yet,
 * or no host tells.
 */
export function deliveryOf({ execution }: RunView): Delivery | null {
  const told = fieldsOf(parsedJson(execution?.signals ?? ''))['delivery'];
  return deliveries.find((one) => one === told) ?? null;
}

/** What a dead holder wrote last says nothing of now (RR-6). */
const gone: Liveness = {
  ...{ state: 'dead', reason: 'holder_gone', since: null, deadline: null },
  detail: 'the lane is gone',
};

/** No row says that anything will move it (RR-33). */
const atRest: Liveness = { ...gone, state: 'no_work' };

function laneTold(view: RunView): LaneTold {
  const signals = fieldsOf(parsedJson(view.execution?.signals ?? ''));
  const [n, of] = [numberOf(signals['nudge']), numberOf(signals['nudges'])];
  return {
    lastFileAt: numberOf(signals['lastFileAt']),
    modelSince: numberOf(signals['modelSince']),
    nudge: n === null || of === null ? null : { n, of },
  };
}

function lifecycle(status: string): string {
  if (status === 'DISPATCHED') return 'queued';
  if (status === 'LEASED') return 'starting';
  return status === 'RECOVERING' ? 'recovering' : 'working';
}

const withoutDriver = (called: string): string =>
  calledAs(`${noDriver.detail} → ${noDriver.next}`, called);

/** `no work: it waits, and no timer will wake it`; empty for a run that something will move. */
export const noWorkWords = ({ noWork }: Pick<RunView, 'noWork'>): string =>
  noWork === undefined ? '' : `no work: ${noWork.detail}`;

/** The words of UX 3.1. */
export function livenessWords(view: RunView, now: number, called = 'pawl'): string {
  const liveness = livenessOf(view);
  if (liveness === null) return '';
  const prompt = promptWords(deliveryOf(view), liveness);
  const words = `${stateWords(view, liveness, { now, called })}${prompt}`;
  if (view.driver !== null || liveness.state === 'queued') return words;
  return liveness.state === 'dead'
    ? `dead: ${clean(liveness.detail ?? 'the lane is gone')}; ${withoutDriver(called)}`
    : `${words}; no driver`;
}

/** Of a lane that works, or is starting, nobody asks it. */
function promptWords(delivery: Delivery | null, { state }: Liveness): string {
  if (state === 'dead' || state === 'no_work') return '';
  if (delivery === 'failed') return '; its prompt was not taken up';
  if (state !== 'quiet' && state !== 'stalled') return '';
  if (delivery === 'sent') return '; prompt sent, not seen yet';
  return delivery === 'seen' ? '; prompt seen, not started yet' : '';
}

function stateWords(
  view: RunView,
  liveness: Liveness,
  { now, called }: { readonly now: number; readonly called: string },
): string {
  const age = liveness.since === null ? 0 : Math.max(0, now - liveness.since);
  const detail = liveness.detail === null ? '' : `: ${clean(liveness.detail)}`;
  switch (liveness.state) {
    case 'queued':
      return view.driver === null ? withoutDriver(called) : 'waiting to start';
    case 'starting':
      return `starting ${shortSpan(age)}`;
    case 'completing':
      return `finishing: turn ended, process still up ${shortSpan(age)}${killWords(liveness)}`;
    case 'working_local':
      return localWords(age);
    case 'working_tool':
      return toolWords(liveness, { age, now, detail });
    case 'quiet':
      return `quiet ${shortSpan(age)}${quietWords(view, liveness, now)}`;
    case 'stalled':
      return `stalled ${shortSpan(age)}: ${stalledWords(liveness)}${nudgeWords(view)}`;
    case 'dead':
      return `dead${detail}; starting again`;
    case 'no_work':
      return noWorkWords(view);
    case 'recovering':
      return 'recovering';
    default:
      return modelWords(view, now);
  }
}

/** A lane without a protocol tells nothing else; that is worth a word only after a while. */
function localWords(age: number): string {
  if (age < 1_000) return 'working';
  return `working (no protocol event for ${shortSpan(age)}; output is changing)`;
}

function modelWords(view: RunView, now: number): string {
  const { modelSince } = laneTold(view);
  if (modelSince === null) return 'working';
  return `working, waiting for the model ${shortSpan(Math.max(0, now - modelSince))}`;
}

function killWords({ deadline, since }: Liveness): string {
  if (deadline === null || since === null) return '';
  return ` (killed at ${Math.round((deadline - since) / 1000)}s)`;
}

const quietReasons: Readonly<Record<string, string>> = {
  model_wait: ', waiting for the model',
  backoff: ', the model refused and is asked again',
  awaiting_input: ', a person is asked',
};

/** What moved last says more than when it will be called stalled. */
function quietWords(view: RunView, { reason, since, deadline }: Liveness, now: number): string {
  const why = quietReasons[reason ?? ''] ?? '';
  const { lastFileAt } = laneTold(view);
  if (why === '' && lastFileAt !== null) {
    return `; files changed ${shortSpan(Math.max(0, now - lastFileAt))} ago`;
  }
  const until =
    deadline === null || since === null ? '' : `, stalled at ${shortSpan(deadline - since)}`;
  return `${why}${until}`;
}

const stalledReasons: Readonly<Record<string, string>> = {
  frozen: 'every process of it is stopped',
  model_wait: 'the model does not answer',
  backoff: 'the model refuses',
  tool_progress: 'its tool shows no CPU, no output, no file',
  tool_ceiling: 'its tool has run too long',
  starting: 'it was started and did nothing yet',
  completing: 'its turn ended, the process is still up',
};

const stalledWords = ({ reason }: Liveness): string =>
  stalledReasons[reason ?? ''] ?? 'no event, no new screen, no file';

function nudgeWords(view: RunView): string {
  const { nudge } = laneTold(view);
  return nudge === null ? '' : `; nudging (${nudge.n} of ${nudge.of})`;
}

function toolWords(
  liveness: Liveness,
  tool: { readonly age: number; readonly now: number; readonly detail: string },
): string {
  const { deadline } = liveness;
  if (deadline !== null && deadline < tool.now)
    return `tool overdue ${span(tool.now - deadline)}${tool.detail}`;
  const by =
    deadline === null || liveness.since === null
      ? ''
      : ` (deadline ${shortSpan(deadline - liveness.since)})`;
  return `working, tool in flight ${shortSpan(tool.age)}${tool.detail}${by}`;
}
