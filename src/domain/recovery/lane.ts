/**
 * What is done about an execution that somebody holds: the first line that holds of a table
 * (DESIGN §13). Pure; a sweep asks it of what it saw, as often as it likes.
 *
 * Invariants (property tests are titled by them):
 *   S1. Who waits for a human, or is inside a tool call that is believed, is left alone while its
 *       holder lives.
 *   S2. What is positively dead is acted on at the first look.
 *   S3. Nothing is done for the sake of a deadline alone before two looks agree.
 *   S4. A stalled lane is nudged at most as often as its figures say, each time with the next
 *       number, and re-spawned once it was stalled for its silence, counted over the whole
 *       execution: noise in between takes nothing back (only sealed work does).
 *   S5. The same look gives the same answer: whoever asks again asks for what was done already.
 */
import { unreachable } from '../../kernel/invariant.ts';
import type { FailureClass } from '../execution/state.ts';
import { looksMin, type RecoveryFigures, sweepMs } from './figures.ts';
import type { LastSigns } from './signs.ts';

export type Sighted = 'alive' | 'silent' | 'elsewhere' | 'sealed' | 'dead' | 'untraced';

/** What its host told of it with its newest beat. */
export type LaneTold = Pick<LastSigns, 'state' | 'reason' | 'delivery' | 'stalledMs'>;

export interface LaneFacts {
  readonly sighted: Sighted;
  /** How long its beat has stood still on the observer's clock. */
  readonly forMs: number;
  readonly ttlMs: number;
  /** What its death is known by; null: it is not known to be dead. */
  readonly lost: { readonly class: FailureClass; readonly detail: string } | null;
  /** It asked for leave, and a human has the question. */
  readonly isHumanAsked: boolean;
  /** Null: nothing yet, or its host tells of no lane. */
  readonly told: LaneTold | null;
  readonly nudges: number;
  /** In a row, of this observer, at which it was told as stalled; this one included. */
  readonly looks: number;
}

export type LaneStep =
  | { readonly do: 'leave' }
  | { readonly do: 'submit' }
  | { readonly do: 'nudge'; readonly n: number; readonly detail: string }
  /** Ended, proven gone, and lost; of another machine it is fenced off. */
  | { readonly do: 'end'; readonly class: FailureClass; readonly detail: string }
  /** Its lease is over: decided where it can be decided, then lost. */
  | { readonly do: 'expire' };

/** The order in which it is asked. */
export const laneLines = [
  'human_attention',
  'tool_in_flight',
  'positively_dead',
  'delivery',
  'lease',
  'tool_progress',
  'idle',
] as const;
export type LaneLine = (typeof laneLines)[number];

type Line = (facts: LaneFacts, figures: RecoveryFigures) => LaneStep | null;

const leave = { do: 'leave' } as const;

const lines: Readonly<Record<LaneLine, Line>> = {
  human_attention: (facts) =>
    isHeard(facts) && (facts.isHumanAsked || facts.told?.reason === 'awaiting_input')
      ? leave
      : null,
  tool_in_flight: (facts) =>
    isHeard(facts) && facts.told?.state === 'working_tool' ? leave : null,
  positively_dead: dead,
  delivery: (facts) =>
    isStalled(facts) && facts.told?.delivery === 'failed'
      ? confirmed(facts, { ...died, detail: 'its prompt was not delivered, and it does nothing' })
      : null,
  lease,
  tool_progress: (facts, figures) => (isWedged(facts) ? stalled(facts, figures) : null),
  idle: (facts, figures) => (isStalled(facts) ? stalled(facts, figures) : null),
};

export interface LaneDecision {
  /** Null: no line held, all is well. */
  readonly line: LaneLine | null;
  readonly step: LaneStep;
}

export function decideLane(facts: LaneFacts, figures: RecoveryFigures): LaneDecision {
  for (const line of laneLines) {
    const step = lines[line](facts, figures);
    if (step !== null) return { line, step };
  }
  return { line: null, step: leave };
}

/** Its beats come, as far as was seen: what its host told last is of now. */
function isHeard({ sighted, forMs, ttlMs }: LaneFacts): boolean {
  return (
    sighted === 'alive' || ((sighted === 'silent' || sighted === 'elsewhere') && forMs < ttlMs)
  );
}

const died = { do: 'end', class: 'lane_died' } as const;

function dead({ sighted, lost }: LaneFacts): LaneStep | null {
  switch (sighted) {
    case 'sealed':
      return { do: 'submit' };
    case 'dead':
      return { ...died, detail: 'its host is gone and left no result', ...lost };
    case 'untraced': {
      const detail =
        'the store has it as begun, without a lease, and no host of this machine has it';
      return { do: 'end', class: 'unknown_outcome', detail };
    }
    case 'alive':
    case 'silent':
    case 'elsewhere':
      return null;
    default:
      return unreachable(sighted);
  }
}

function lease({ sighted, forMs, ttlMs }: LaneFacts): LaneStep | null {
  if (sighted === 'elsewhere') return forMs >= ttlMs ? { do: 'expire' } : null;
  if (sighted !== 'silent' || forMs < ttlMs) return null;
  const detail = `the host stood still for ${Math.round(forMs / 1000)} s`;
  return { do: 'end', class: 'transport_lost', detail };
}

const isStalled = (facts: LaneFacts): boolean => isHeard(facts) && facts.told?.state === 'stalled';

const isWedged = (facts: LaneFacts): boolean =>
  isStalled(facts) &&
  (facts.told?.reason === 'tool_progress' || facts.told?.reason === 'tool_ceiling');

const confirmed = ({ looks }: LaneFacts, step: LaneStep): LaneStep =>
  looks < looksMin ? leave : step;

/** Why, as people read it; a reason that is not known here is a silence. */
const causes: Readonly<Record<string, string>> = {
  frozen: 'every process of it is stopped',
  tool_progress: 'its tool shows neither CPU nor output nor changed files',
  tool_ceiling: 'its tool runs for longer than it is believed',
  model_wait: 'its model does not answer',
  backoff: 'its model refuses it again and again',
  repeating: 'it only repeats itself',
};

export const causeOf = (reason: string | null): string =>
  causes[reason ?? ''] ?? 'no event, no new screen, no file';

function stalled(facts: LaneFacts, figures: RecoveryFigures): LaneStep {
  const { told, nudges } = facts;
  const forMs = told?.stalledMs ?? 0;
  const cause = causeOf(told?.reason ?? null);
  if (forMs >= figures.silenceMs) {
    const times = nudges === 1 ? 'once' : `${nudges} times`;
    const told = nudges === 0 ? '' : `, nudged ${times}`;
    const detail = `no progress: ${cause}; stalled for ${Math.round(forMs / 1000)} s${told}`;
    return confirmed(facts, { ...died, detail });
  }
  if (nudges >= figures.nudges || forMs < nudgeAtMs(nudges + 1, figures)) return leave;
  return confirmed(facts, { do: 'nudge', n: nudges + 1, detail: `no progress: ${cause}` });
}

/** Spread over the silence in whole sweeps, so that each has its time to help. */
export function nudgeAtMs(n: number, { nudges, silenceMs }: RecoveryFigures): number {
  const share = (silenceMs * n) / (nudges + 1);
  return Math.max(1, Math.floor(share / sweepMs)) * sweepMs;
}
