/** What a council was asked about a parked run, and what it said: a part of the run's story. */
import type { StoredEvent } from './store.ts';
import type { Digest } from './words.ts';

export interface CouncilStory {
  readonly by: string;
  /** `<agent>[:model]`, and the role of the definition that it is taken from. */
  readonly agent: string;
  readonly role: 'execute' | 'verify';
  readonly opinions: readonly OpinionStory[];
}

export interface OpinionStory {
  readonly profile: string;
  readonly askedAt: number;
  /** Null: it is awaited. */
  readonly endedAt: number | null;
  readonly outcome: 'open' | 'given' | 'unavailable' | 'cancelled';
  /** The newest one that it was asked in. */
  readonly execution: string | null;
  readonly text: Digest | null;
  /** Why there is none. */
  readonly detail: string;
}

type EventOf<T extends StoredEvent['event']['type']> = Extract<StoredEvent['event'], { type: T }>;

export function councilAsked(
  { by, agent, role, profiles }: EventOf<'council.asked'>,
  at: number,
): CouncilStory {
  const none = { endedAt: null, outcome: 'open', execution: null, text: null, detail: '' } as const;
  return {
    by,
    agent,
    role,
    opinions: profiles.map((profile) => ({ profile, askedAt: at, ...none })),
  };
}

export function councilHeard(
  council: CouncilStory | null,
  event: EventOf<'opinion.asked' | 'opinion.ended'>,
  at: number,
): CouncilStory | null {
  if (council === null) return null;
  const { execution } = event;
  const opinions = council.opinions.map((one) => {
    if (one.profile !== event.profile) return one;
    if (event.type === 'opinion.asked') return { ...one, execution };
    const { outcome, text, detail } = event;
    return { ...one, execution, outcome, text, detail, endedAt: at };
  });
  return { ...council, opinions };
}

export const isHeard = ({ opinions }: CouncilStory): boolean =>
  opinions.every(({ outcome }) => outcome !== 'open');
