/**
 * A turn of a program that takes its prompt on stdin, prints JSON lines, and exits: Claude Code's
 * `-p`, `codex exec`. What its transcript has words for can be said to it while it runs.
 *
 * It owns what all such programs share: lines that are no JSON are counted and left alone, tools
 * are open or closed, and the turn came to what the program last said of it. Its exit code counts
 * only where it said nothing: these programs exit with 0 after a failure, and with 1 after none.
 */
import type { Usage } from '../../../domain/execution/state.ts';
import { isFields, parsedJson } from '../../../kernel/json.ts';
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
import { withLeft } from '../left-result.ts';
import { type OpenTools, openTools } from './tools.ts';
import type { Speech, Told, Transcript } from './transcript.ts';

/** Longer lines are left alone: what is ever read of one is a small part of it. */
const lineMax = 16 * 1024 * 1024;
const answerMax = 256 * 1024;
const detailMax = 500;
const sessionMax = 200;
/** So many lines that mean nothing are told of; the others are only counted. */
const strangeToldMax = 3;
/** So many requests wait at once; what is asked beyond that is denied. */
const waitingMax = 100;

const sent: LaneEvent = { kind: 'delivery', state: 'sent' };

interface Turn {
  readonly tools: OpenTools;
  readonly speech: Speech | null;
  /** Requests that wait → what a tool is to be called with. */
  readonly waiting: Map<string, unknown>;
  /** What it asks; its turn ends with that. */
  question: string | null;
  usage: Usage | null;
  session: string | null;
  answer: string | null;
  failure: ToldFailure | null;
  cut: string | null;
  /** It said that its turn is over. */
  isOver: boolean;
  /** Why it must not go on, whatever it says of itself. */
  refusal: string | null;
  strange: number;
}

export function jsonTalk<S>(transcript: Transcript<S>): Talk {
  const turn: Turn = {
    ...{ tools: openTools(), usage: null, session: null, answer: null, failure: null },
    ...{ isOver: false, refusal: null, strange: 0, question: null, cut: null },
    ...{ speech: transcript.speech ?? null, waiting: new Map() },
  };
  let state = transcript.first;
  const heard = (text: string): Said => {
    const line = text.length > lineMax ? null : parsedJson(text);
    const read = isFields(line) ? transcript.step(state, line) : null;
    if (read === null) return { write: [], events: strange(turn, text) };
    state = read.state;
    const write: string[] = [];
    const events = read.told.flatMap((told) => {
      const answer = requested(turn, told);
      write.push(...answer.write);
      return [...answer.events, ...take(turn, told, transcript.mode)];
    });
    return { write, events };
  };
  const { speech } = turn;
  const says = (line: string | undefined): Said =>
    line === undefined ? saidNothing : { write: [line], events: [] };
  return {
    isOpen: speech !== null,
    isProtocol: true,
    prompt: speech === null ? 'given' : 'told',
    begin: () => (speech === null ? saidNothing : { write: [speech.begin], events: [sent] }),
    line: (text): Said => (text.trim() === '' ? saidNothing : heard(text)),
    decide: (request, decision) => decided(turn, request, decision),
    cancel: () => says(turn.isOver ? undefined : speech?.cancel),
    isCalledOff: () => turn.refusal !== null,
    end: (exit, resultFile) => withLeft(endOf(turn, exit), resultFile, turn.session),
  };
}

/** What nobody waits for any more is not answered. */
function decided(turn: Turn, request: string, decision: 'allow' | 'deny'): Said {
  const { speech, waiting } = turn;
  if (speech === null || !waiting.has(request)) return saidNothing;
  const input = waiting.get(request);
  waiting.delete(request);
  return { write: [speech.answer(request, decision, input)], events: [] };
}

/** What it wants an answer to; once its turn is to end there is none but that. */
function requested(turn: Turn, told: Told): Said {
  const { speech, waiting } = turn;
  if (speech === null) return saidNothing;
  const says = (request: string, how: 'deny' | 'end' | 'unknown'): Said => ({
    write: [speech.answer(request, how, null)],
    events: [],
  });
  switch (told.kind) {
    case 'unknown_request':
      return says(told.request, 'unknown');
    case 'withdrawn':
      return waiting.delete(told.request) ? { write: [], events: [told] } : saidNothing;
    case 'question':
      return says(told.request, 'end');
    case 'permission': {
      if (turn.question !== null) return says(told.request, 'end');
      if (waiting.size >= waitingMax) return says(told.request, 'deny');
      waiting.set(told.request, told.input);
      const { input: _, ...event } = told;
      return { write: [], events: [event] };
    }
    default:
      return saidNothing;
  }
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
    case 'failing':
      turn.failure = told.failure;
      return [{ kind: 'error', detail: clipLine(told.failure.detail, detailMax) }];
    case 'ended':
      turn.cut = told.isCut === true ? clipLine(told.reason, 80) : null;
      return over(turn, told.reason, told.failure);
    case 'question':
      return questioned(turn, told.text);
    case 'permission':
    case 'unknown_request':
    case 'withdrawn':
      return [];
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

/** The first one stands. It is over with that, whether the program heeds it or not. */
function questioned(turn: Turn, text: string): readonly LaneEvent[] {
  if (turn.question !== null || turn.isOver) return [];
  turn.question = clip(text, answerMax);
  return [
    { kind: 'question', text: turn.question },
    ...turn.tools.close(),
    { kind: 'turn_finished', reason: 'question' },
  ];
}

function over(turn: Turn, reason: string, failure: ToldFailure | null): readonly LaneEvent[] {
  // That its turn was cut short is our own doing.
  if (turn.question !== null) return [];
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
  if (turn.question !== null) {
    return { outcome: 'question', text: turn.question, until: null, usage, sessionId };
  }
  const hasLeft = exit.exit !== null && failure !== null;
  if (!turn.isOver && !hasLeft) {
    const detail = `the agent ${exitWords(exit)} before its turn was over`;
    return { outcome: 'lane_died', detail, usage };
  }
  const { answer } = turn;
  const text = answer === null || answer.trim() === '' ? null : answer;
  if (failure === null) {
    const cut = turn.cut === null ? {} : { cut: turn.cut };
    return { outcome: 'turn_ended', text, until: null, usage, sessionId, ...cut };
  }
  const detail = clipLine(failure.detail, detailMax);
  if (failure.how === 'limit') {
    return { outcome: 'limit', text: detail, until: failure.until, usage, sessionId };
  }
  return { outcome: 'failed', class: failure.class, detail, usage, sessionId };
}
