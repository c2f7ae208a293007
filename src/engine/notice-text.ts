/** Which events a person is told of, whether that still holds, and in which words. Pure. */
import type { NoticeKind } from '../domain/definition/definition.ts';
import type { Instant } from '../domain/ids.ts';
import type { StreamEvent } from '../domain/run/aggregate.ts';
import type { Gate, LivingRun } from '../domain/run/state.ts';
import { unreachable } from '../kernel/invariant.ts';
import { clipLine } from '../kernel/text.ts';
import type { Notice } from '../ports/notifier.ts';
import type { StoredEvent } from '../ports/store.ts';

/** A shorter wait for a limit is over before it is read. */
const limitMsMin = 5 * 60_000;
const textMax = 300;

/** Null: nobody is told. Who accepts a run himself knows that it is complete. */
export function kindOf(event: StreamEvent): NoticeKind | null {
  switch (event.type) {
    case 'run.parked':
      return 'needs_operator';
    case 'gate.opened':
    case 'gate.reminded':
      return 'waiting_human';
    case 'run.completed':
      return event.verification === 'passed' ? 'complete' : null;
    case 'run.waiting':
      return event.reason === 'rate_limited' && event.until - event.at >= limitMsMin
        ? 'limit'
        : null;
    case 'run.paused':
      return event.resumesAt === undefined ? null : 'limit';
    default:
      return null;
  }
}

/** Whether the run still stands where the notice would say it does. */
export function isStill(run: LivingRun, kind: NoticeKind): boolean {
  switch (kind) {
    case 'needs_operator':
    case 'waiting_human':
      return run.status === kind;
    case 'complete':
      return run.status === 'complete' && run.landed === null;
    case 'limit':
      return run.status === 'active'
        ? run.stage.phase === 'waiting' && run.stage.reason === 'rate_limited'
        : run.status === 'paused' && run.resumesAt !== null;
  }
}

export function noticeOf(facts: {
  readonly run: LivingRun;
  readonly short: string;
  readonly kind: NoticeKind;
  readonly stored: StoredEvent;
  readonly directory: string;
}): Notice {
  const { run, short, kind, stored, directory } = facts;
  const reason = run.status === 'needs_operator' ? run.reason : null;
  return {
    id: `${run.id}.${stored.version}`,
    kind,
    at: stored.at,
    run: {
      id: run.id,
      short,
      name: run.name,
      project: run.project,
      status: run.status,
      reason,
    },
    title: `${run.name} ${short}: ${titles[kind]}`,
    text: clipLine(textOf(run, kind), textMax),
    until: untilOf(run),
    command: `pawl ${verbs[kind]} ${short}`,
    directory,
  };
}

const titles: Readonly<Record<NoticeKind, string>> = {
  needs_operator: 'needs operator',
  waiting_human: 'waiting for you',
  complete: 'complete',
  limit: 'waiting for a limit',
};
const verbs: Readonly<Record<NoticeKind, string>> = {
  needs_operator: 'show',
  waiting_human: 'show',
  complete: 'land',
  limit: 'show',
};

function askedBy(gate: Gate): string {
  switch (gate.kind) {
    case 'manual':
      return `look: ${gate.look}`;
    case 'protected':
      return `protected: ${gate.paths.join(', ')}`;
    case 'permission':
      return `the agent asks for leave: ${gate.ask.title}`;
    default:
      return unreachable(gate);
  }
}

function textOf(run: LivingRun, kind: NoticeKind): string {
  switch (run.status) {
    case 'needs_operator': {
      const why = `${run.disposition}: ${run.reason}`.replaceAll('_', ' ');
      return run.detail === '' ? why : `${why} · ${run.detail}`;
    }
    case 'waiting_human':
      return askedBy(run.gate);
    case 'complete':
      return `verified on attempt ${run.attempt}`;
    case 'paused':
      return 'paused: a limit was reached';
    default:
      return titles[kind];
  }
}

/** When the limit ends that the run waits for. */
function untilOf(run: LivingRun): Instant | null {
  if (run.status === 'paused') return run.resumesAt;
  return run.status === 'active' && run.stage.phase === 'waiting' ? run.stage.until : null;
}
