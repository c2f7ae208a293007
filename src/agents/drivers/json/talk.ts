/**
 * A turn of a program that takes its prompt on stdin, prints JSON lines, and exits: Claude Code's
 * `-p`, `codex exec`. Nothing can be said to it while it runs.
 *
 * It owns what all such programs share: lines that are no JSON are counted and left alone, tools
 * are open or closed, and the turn came to what the program last said of it. Its exit code counts
 * only where it said nothing: these programs exit with 0 after a failure, and with 1 after none.
 */
import type { Usage } from '../../../domain/execution/state.ts';
import { parsedJson } from '../../../kernel/json.ts';
import { clip, clipLine } from '../../../kernel/text.ts';
import {
  type ProgramExit,
  type Said,
  saidNothing,
  type Talk,
  type TurnEnd,
} from '../../../ports/agent.ts';
import type { LaneEvent } from '../../../ports/lane-event.ts';
import { exitWords, type ToldFailure } from '../failure.ts';
import { isFields } from '../fields.ts';
import { type OpenTools, openTools } from './tools.ts';
import type { Told, Transcript } from './transcript.ts';

/** Longer lines are left alone: what is ever read of one is a small part of it. */
const lineMax = 16 * 1024 * 1024;
const answerMax = 256 * 1024;
const detailMax = 500;
const sessionMax = 200;
/** So many lines that mean nothing are told of; the others are only counted. */
const strangeToldMax = 3;

interface Turn {
  readonly tools: OpenTools;
  usage: Usage | null;
  session: string | null;
  answer: string | null;
  failure: ToldFailure | null;
  /** It said that its turn is over. */
  isOver: boolean;
  /** Why it must not go on, whatever it says of itself. */
  refusal: string | null;
  strange: number;
}

export function jsonTalk<S>(transcript: Transcript<S>): Talk {
  const turn: Turn = {
    ...{ tools: openTools(), usage: null, session: null, answer: null, failure: null },
    ...{ isOver: false, refusal: null, strange: 0 },
  };
  let state = transcript.first;
  const heard = (text: string): readonly LaneEvent[] => {
    const line = text.length > lineMax ? null : parsedJson(text);
    const read = isFields(line) ? transcript.step(state, line) : null;
    if (read === null) return strange(turn, text);
    state = read.state;
    return read.told.flatMap((told) => take(turn, told, transcript.mode));
  };
  return {
    isOpen: false,
    begin: () => saidNothing,
    line: (text): Said => (text.trim() === '' ? saidNothing : { write: [], events: heard(text) }),
    decide: () => saidNothing,
    cancel: () => saidNothing,
    isCalledOff: () => turn.refusal !== null,
    end: (exit) => endOf(turn, exit),
  };
}

/** A sign of life all the same; the journal has the line itself. */
function strange(turn: Turn, text: string): readonly LaneEvent[] {
  turn.strange += 1;
  if (turn.strange > strangeToldMax) return [{ kind: 'notice' }];
  const detail = `it printed what is not understood: ${clipLine(clip(text, 1_000), 120)}`;
  return [{ kind: 'error', detail }];
}

/** It is told once, unless it changes. */
function sessionTold(turn: Turn, id: string): readonly LaneEvent[] {
  if (turn.session === id || id.length > sessionMax) return [];
  turn.session = id;
  return [{ kind: 'session', id }];
}

function take(turn: Turn, told: Told, mode: string | null): readonly LaneEvent[] {
  switch (told.kind) {
    case 'session':
      return sessionTold(turn, told.id);
    case 'started':
      return [told, ...compared(turn, told.mode, mode)];
    case 'tool_started':
      return turn.tools.started(told);
    case 'tool_finished':
      return turn.tools.finished(told);
    case 'usage':
      turn.usage = told.usage;
      return [told];
    case 'answer':
      turn.answer = clip(told.text, answerMax);
      return [];
    case 'ended':
      return over(turn, told.reason, told.failure);
    default:
      return [told];
  }
}

/** A program that runs in another mode than the one that was set is held to nothing. */
function compared(turn: Turn, found: string | null, set: string | null): readonly LaneEvent[] {
  if (set === null || found === set || turn.refusal !== null) return [];
  turn.refusal = `the agent was set to the permission mode "${set}" and runs in "${found ?? 'none'}"`;
  return [
    { kind: 'error', detail: turn.refusal },
    { kind: 'turn_finished', reason: 'refused' },
  ];
}

function over(turn: Turn, reason: string, failure: ToldFailure | null): readonly LaneEvent[] {
  turn.isOver = true;
  turn.failure = failure;
  const closed = turn.tools.close();
  const ended: LaneEvent = { kind: 'turn_finished', reason: clipLine(reason, 80) };
  if (failure === null) return [...closed, ended];
  const detail = clipLine(failure.detail, detailMax);
  const told: LaneEvent =
    failure.how === 'limit'
      ? { kind: 'limit', until: failure.until, detail }
      : { kind: 'error', detail };
  return [...closed, told, ended];
}

function endOf(turn: Turn, exit: ProgramExit): TurnEnd {
  const { usage, failure, refusal, session: sessionId } = turn;
  if (refusal !== null) {
    return { outcome: 'failed', class: 'dispatch_failed', detail: refusal, usage, sessionId };
  }
  if (!turn.isOver) {
    const detail = `the agent ${exitWords(exit)} before its turn was over`;
    return { outcome: 'lane_died', detail, usage };
  }
  const { answer } = turn;
  const text = answer === null || answer.trim() === '' ? null : answer;
  if (failure === null) return { outcome: 'turn_ended', text, until: null, usage, sessionId };
  const detail = clipLine(failure.detail, detailMax);
  if (failure.how === 'limit') {
    return { outcome: 'limit', text: detail, until: failure.until, usage, sessionId };
  }
  return { outcome: 'failed', class: failure.class, detail, usage, sessionId };
}
