/**
 * What the events of a run tell, gathered for pages and live views: how long each attempt took,
 * what it cost, what was recovered. Pure: a fold; the state of a run is the client's view, not
 * this.
 */
import { type Refusals, refusalsWith } from '../kernel/refusals.ts';
import { type CouncilStory, councilAsked, councilHeard } from './council-story.ts';
import {
  failedBy,
  followed,
  givenUp,
  helped,
  type RecoveryStory,
  recovered,
  verifiedUnclearly,
} from './recovery-story.ts';
import type { StoredEvent } from './store.ts';
import type { AttemptSummary, AttestedFiles, Digest, Finding, LastSigns, Usage } from './words.ts';

export interface Story {
  readonly startedAt: number;
  readonly definition: Digest | null;
  readonly attempts: ReadonlyMap<number, AttemptStory>;
  readonly prepare: { readonly startedAt: number | null; readonly endedAt: number | null };
  readonly recoveries: readonly RecoveryStory[];
  readonly nudges: readonly NudgeStory[];
  readonly waits: readonly WaitStory[];
  readonly findings: readonly Finding[];
  /** Of the newest turn that was to leave something to be looked at. */
  readonly artifacts: AttestedFiles | null;
  readonly parkedAt: number | null;
  /** Of the failure that it was parked for; null: it was parked for none. */
  readonly parkedClass: string | null;
  /** Newest last line of a lane. */
  readonly lastLine: string | null;
  /** Where the tree of the newest turn lies, when it is on a worker's machine; null: on none. */
  readonly directory: string | null;
  /** How the newest one ended: `exit 0`, `lane died: exit 137`. */
  readonly lastEnd: string | null;
  /** What a lane that left no result was last seen to do; null: the newest one left one. */
  readonly lastSigns: SignsStory | null;
  /** Sums by execution, since usage is cumulative within one. */
  readonly usage: ReadonlyMap<string, Usage>;
  readonly attemptOf: ReadonlyMap<string, number>;
  readonly lastExecution: string | null;
  readonly lastJob: 'prepare' | 'execute' | 'verify' | null;
  /** The newest execution of a lane that works. */
  readonly lastLane: string | null;
  /** Where it goes on: the job that it is parked with. */
  readonly parkedJob: Story['lastJob'];
  readonly refusals: number;
  /** When and how it landed; null: it did not, or was only proposed. */
  readonly landing: LandingStory | null;
  /** The newest one of the newest park; null: nobody was asked. */
  readonly council: CouncilStory | null;
}
export interface SignsStory {
  readonly execution: string;
  /** When the execution ended, which ages are told by. */
  readonly at: number;
  readonly signs: LastSigns;
}
export interface LandingStory {
  readonly at: number;
  readonly commit: string;
  readonly into: string;
  readonly method: string;
  /** False: nobody verified what lies on the branch after it was brought there. */
  readonly reverified: boolean;
  readonly by: string;
}
export interface AttemptStory {
  readonly n: number;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly executions: readonly string[];
  readonly filesChanged: number | null;
  readonly commit: string | null;
  readonly lastLine: string | null;
  /** What the agent said that its version is; null: nothing. */
  readonly agentVersion: string | null;
  readonly summary: AttemptSummary | null;
  /** What its turns were refused; null: nothing that is known of. */
  readonly refused: Refusals | null;
  /** Of the newest commit, in the order of the criteria. */
  readonly verdicts: readonly Digest[];
  readonly journals: readonly Digest[];
}
export interface NudgeStory {
  readonly at: number;
  readonly execution: string;
  readonly n: number;
  readonly detail: string;
}
export interface WaitStory {
  readonly reason: string;
  readonly from: number;
  readonly until: number;
}

export const noStory: Story = {
  startedAt: 0,
  definition: null,
  attempts: new Map(),
  prepare: { startedAt: null, endedAt: null },
  recoveries: [],
  nudges: [],
  waits: [],
  findings: [],
  artifacts: null,
  parkedAt: null,
  parkedClass: null,
  lastLine: null,
  directory: null,
  lastEnd: null,
  lastSigns: null,
  usage: new Map(),
  attemptOf: new Map(),
  lastExecution: null,
  lastJob: null,
  lastLane: null,
  parkedJob: null,
  refusals: 0,
  landing: null,
  council: null,
};

export function tell(story: Story, events: readonly StoredEvent[]): Story {
  return events.reduce(next, story);
}

function next(story: Story, stored: StoredEvent): Story {
  const { event, at } = stored;
  switch (event.type) {
    case 'run.started':
      return { ...story, startedAt: at, definition: event.definition };
    case 'job.dispatched':
      return dispatched(story, event, at);
    case 'baseline.recorded':
      return { ...story, prepare: { ...story.prepare, endedAt: at } };
    case 'turn.ended':
      return turnEnded(story, event);
    case 'usage.recorded':
      return { ...story, usage: new Map(story.usage).set(event.execution, event.usage) };
    case 'finding.recorded':
      return { ...story, findings: [...story.findings, event.finding].slice(-50) };
    case 'artifacts.attested':
      return { ...story, artifacts: event.artifacts };
    case 'verification.recorded':
      return verified(story, event, at);
    case 'attempt.ended':
      return onAttempt(
        { ...story, recoveries: failedBy(story.recoveries) },
        event.attempt.n,
        (attempt) => ({ ...attempt, endedAt: at, summary: event.attempt }),
      );
    case 'recovery.recorded':
      return recoveredFrom(story, event, at);
    case 'execution.nudged': {
      const { id: execution, n, detail } = event;
      return { ...story, nudges: [...story.nudges, { at, execution, n, detail }].slice(-50) };
    }
    case 'execution.failed':
    case 'execution.exhausted':
    case 'execution.unknown':
      return lost(story, event, at);
    case 'execution.succeeded':
      return { ...story, recoveries: helped(story.recoveries, event.id) };
    case 'run.waiting': {
      const wait = { reason: event.reason, from: at, until: event.until };
      return { ...story, waits: [...story.waits, wait].slice(-50) };
    }
    case 'run.parked':
      return parked(story, event, at);
    case 'council.asked':
      return { ...story, council: councilAsked(event, at) };
    case 'opinion.asked':
    case 'opinion.ended':
      return { ...story, council: councilHeard(story.council, event, at) };
    case 'run.landed':
      return { ...story, landing: landingOf(event, at) };
    case 'principal.refused':
      return { ...story, refusals: story.refusals + 1 };
    default:
      return story;
  }
}

type EventOf<T extends StoredEvent['event']['type']> = Extract<StoredEvent['event'], { type: T }>;

function parked(story: Story, event: EventOf<'run.parked'>, at: number): Story {
  const { class: parkedClass, then } = event;
  const recoveries = givenUp(story.recoveries);
  return { ...story, recoveries, parkedAt: at, parkedClass, parkedJob: then.job, council: null };
}

function landingOf(event: EventOf<'run.landed'>, at: number): LandingStory | null {
  const { commit, into, method, reverified, by } = event;
  return method === 'pr' ? null : { at, commit, into, method, reverified, by };
}

type Lost = EventOf<'execution.failed' | 'execution.exhausted' | 'execution.unknown'>;

/** Of a lane: how it ended takes the place of how the turn before it did. */
function lost(story: Story, event: Lost, at: number): Story {
  const { id: execution, detail, signs } = event;
  if (story.lastLane !== execution) return story;
  const what = event.type === 'execution.unknown' ? 'unknown_outcome' : event.class;
  const lastSigns = signs === undefined ? null : { execution, at, signs };
  return {
    ...story,
    lastEnd: `${what.replaceAll('_', ' ')}: ${detail}`,
    lastLine: null,
    lastSigns,
  };
}

function dispatched(story: Story, event: EventOf<'job.dispatched'>, at: number): Story {
  const known = {
    ...story,
    recoveries: followed(story.recoveries, event.execution),
    lastExecution: event.execution,
    lastJob: event.point.job,
    lastLane: event.point.job === 'execute' ? event.execution : story.lastLane,
    attemptOf: new Map(story.attemptOf).set(event.execution, event.attempt),
  };
  if (event.point.job === 'prepare') {
    return { ...known, prepare: { startedAt: story.prepare.startedAt ?? at, endedAt: null } };
  }
  const before = story.attempts.get(event.attempt) ?? newAttempt(event.attempt, at);
  const executions = [...before.executions, event.execution].slice(-50);
  return {
    ...known,
    attempts: new Map(story.attempts).set(event.attempt, { ...before, executions }),
  };
}

function newAttempt(n: number, at: number): AttemptStory {
  return {
    n,
    startedAt: at,
    endedAt: null,
    executions: [],
    filesChanged: null,
    commit: null,
    lastLine: null,
    agentVersion: null,
    summary: null,
    refused: null,
    verdicts: [],
    journals: [],
  };
}

function turnEnded(story: Story, event: EventOf<'turn.ended'>): Story {
  const { lastLine, exit, signal, version, directory = null } = event.end;
  const ended = signal === null ? `exit ${exit ?? '–'}` : `signal ${signal}`;
  const journals = event.journal === null ? [] : [event.journal];
  return onAttempt(
    {
      ...story,
      ...{ lastLine: lastLine ?? story.lastLine, directory, lastEnd: ended, lastSigns: null },
    },
    event.attempt,
    (attempt) => ({
      ...attempt,
      lastLine,
      agentVersion: version ?? attempt.agentVersion,
      filesChanged: event.filesChanged,
      commit: event.commit ?? attempt.commit,
      refused:
        event.refused === undefined
          ? attempt.refused
          : refusalsWith(attempt.refused ?? undefined, event.refused),
      journals: [...attempt.journals, ...journals].slice(-50),
    }),
  );
}

/** Step 0 begins a verification anew: what an earlier one of the attempt said no longer counts. */
function verified(before: Story, event: EventOf<'verification.recorded'>, at: number): Story {
  const { verdict, step } = event;
  const story = { ...before, recoveries: verifiedUnclearly(before.recoveries, event, at) };
  if (verdict === null) return story;
  return onAttempt(story, event.attempt, (attempt) => ({
    ...attempt,
    verdicts: [...(step === 0 ? [] : attempt.verdicts), verdict].slice(-20),
  }));
}

function recoveredFrom(story: Story, event: EventOf<'recovery.recorded'>, at: number): Story {
  const { lastSigns } = story;
  const attempt = story.attemptOf.get(event.execution) ?? null;
  const signs = lastSigns?.execution === event.execution ? lastSigns.signs : null;
  return { ...story, recoveries: recovered(story.recoveries, event, { at, attempt, signs }) };
}

function onAttempt(
  story: Story,
  n: number,
  change: (attempt: AttemptStory) => AttemptStory,
): Story {
  const attempt = story.attempts.get(n);
  if (attempt === undefined) return story;
  return { ...story, attempts: new Map(story.attempts).set(n, change(attempt)) };
}

/** Null when nobody reported a cost for this attempt. */
export function costOf(
  story: Story,
  n: number,
): { readonly costUsd: number; readonly selfReported: boolean } | null {
  let costUsd: number | null = null;
  let selfReported = false;
  for (const [execution, usage] of story.usage) {
    if (story.attemptOf.get(execution) !== n || usage.costUsd === null) continue;
    costUsd = (costUsd ?? 0) + usage.costUsd;
    selfReported ||= usage.source === 'self-reported';
  }
  return costUsd === null ? null : { costUsd, selfReported };
}
