/**
 * What can be said about the lane of a run now, from its lease row: a projection, never a state.
 */
import type { RunView } from '../ports/client.ts';
import { shortSpan, span } from './format.ts';

export interface Liveness {
  readonly state: string;
  readonly since: number | null;
  readonly deadline: number | null;
  readonly detail: string | null;
}

/** Null when no execution is open. Signals are outside data: read by type, never by truthiness. */
export function livenessOf(view: RunView): Liveness | null {
  const { execution } = view;
  if (execution === null) return null;
  const signals = parsed(execution.signals);
  return {
    state: textOf(signals['state']) ?? lifecycle(execution.status),
    since: numberOf(signals['since']) ?? execution.dispatchedAt,
    deadline: numberOf(signals['deadline']),
    detail: textOf(signals['detail']) ?? textOf(signals['tool']),
  };
}

function lifecycle(status: string): string {
  if (status === 'DISPATCHED') return 'queued';
  if (status === 'LEASED') return 'starting';
  return status === 'RECOVERING' ? 'recovering' : 'working';
}

/** The words of UX 3.1. */
export function livenessWords(view: RunView, now: number): string {
  const liveness = livenessOf(view);
  if (liveness === null) return '';
  const age = liveness.since === null ? 0 : Math.max(0, now - liveness.since);
  const detail = liveness.detail === null ? '' : `: ${liveness.detail}`;
  switch (liveness.state) {
    case 'queued':
      return view.driver === null
        ? 'no driver: work is ready and no process does it'
        : 'waiting to start';
    case 'starting':
      return `starting ${span(age)}`;
    case 'completing':
      return `finishing: turn ended, process still up ${span(age)}`;
    case 'working_local':
      return `working (no protocol event for ${shortSpan(age)}; output is changing)`;
    case 'working_tool':
      return toolWords(liveness, { age, now, detail });
    case 'quiet':
      return `quiet ${shortSpan(age)}`;
    case 'stalled':
      return `stalled ${shortSpan(age)}: no event, no new screen, no file`;
    case 'dead':
      return `dead${detail}; starting again`;
    case 'recovering':
      return 'recovering';
    default:
      return 'working';
  }
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
      : ` (deadline ${span(deadline - liveness.since)})`;
  return `working, tool in flight ${span(tool.age)}${tool.detail}${by}`;
}

function parsed(signals: string | null): Readonly<Record<string, unknown>> {
  if (signals === null) return {};
  try {
    const value: unknown = JSON.parse(signals);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch (error: unknown) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}
function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
function numberOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}
