/**
 * The scenes that the clauses look at: each is one turn of the agent against a script of its own,
 * played once, when the first clause asks for it.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { LaneEvent } from '../../ports/lane-event.ts';
import type { FailureName } from '../model-server/failures.ts';
import { questionInput } from '../model-server/fit-tool.ts';
import { modelServer } from '../model-server/model-server.ts';
import type { AnsweredRequest } from '../model-server/request-log.ts';
import { sideAnswer, type Turn, type Turns } from '../model-server/script.ts';
import type { AgentLanes, Conversation, SeenTurn, TurnRequest } from './lanes.ts';
import {
  answer,
  artifact,
  askPrompt,
  bigPrompt,
  lateText,
  question,
  trickled,
  understood,
} from './lines.ts';
import { type AgentProfile, InfrastructureError } from './outcome.ts';
import { type ProbeServer, probeServer } from './tool-server.ts';

export interface Scene {
  readonly conversation: Conversation;
  readonly turn: SeenTurn;
  /** What the model server was asked during the turn. */
  readonly requests: readonly AnsweredRequest[];
  /** Each with how often the model had been asked by then. */
  readonly signs: readonly { readonly sign: LaneEvent | 'bytes'; readonly requests: number }[];
  readonly startedAt: number;
}

export interface Trial {
  readonly profile: AgentProfile;
  readonly lanes: AgentLanes;
  readonly today: Date;
  /** Told a large prompt, given a server of tools, it writes a file and ends with a question. */
  first(): Promise<Scene & { readonly probe: ProbeServer }>;
  /** An answer to that, in the same conversation. */
  second(): Promise<Scene>;
  /** It asks by its own tool, or in its result file. */
  asking(): Promise<Scene>;
  /** The answer to that, in the same conversation. */
  answered(): Promise<Scene>;
  /** A tool that takes a while, and a last word after it. */
  patient(): Promise<Scene>;
  /** A tool that never ends, and a child of it that left its session; then cancelled or killed. */
  interrupted(by: 'cancel' | 'kill'): Promise<Scene>;
  /** A tool that never ends and has no such child; then cancelled. */
  cancelled(): Promise<Scene>;
  failing(by: FailureName): Promise<Scene>;
  /** What the program itself says its version is, asked apart from any turn. */
  version(): Promise<string | null>;
}

export interface TrialOptions {
  readonly directory: string;
  readonly today: Date;
  /** Of one turn; absent: {@link turnMsMax}. */
  readonly deadlineMs?: number;
}

/** A program that tries on its own asks more often than the script has lines. */
const repeated = 40;
const turnMsMax = 240_000;
/** Is in the work tree once the tool that never ends runs. */
export const running = 'running';
/** What the command line of a tool holds that never ends. */
export const endlessCommand = 'tail -f /dev/null';
const endless = `echo yes > ${running}; ${endlessCommand}`;
/** Has left the session of its tool. */
const escaped = `setsid ${endlessCommand} > /dev/null 2>&1 < /dev/null &`;
/** Longer than what a door lets a lane wait for by itself. */
export const resetsInSeconds = 400;

export function trialOf(
  profile: AgentProfile,
  lanes: AgentLanes,
  { directory, today, deadlineMs = turnMsMax }: TrialOptions,
): Trial {
  const first = once(async () => {
    const probe = probeServer(directory);
    const conversation = await converse(lanes);
    // Some tools of some programs take whole paths alone.
    const tool = { ...artifact, write: join(conversation.tree, artifact.write) };
    const turns = [{ text: 'I write it.', tool }, ...again({ text: question })];
    const told = { prompt: bigPrompt, servers: [probe.server], deadlineMs };
    return { ...(await play(conversation, turns, told)), probe };
  });
  const goneOn = async ({ conversation, turn }: Scene) => {
    if (profile.restsUntilNextMinute === true) await nextMinute();
    const { end } = turn;
    const sessionId = end === null || end.outcome === 'lane_died' ? null : end.sessionId;
    const told = { prompt: answer, sessionId, deadlineMs };
    return play(conversation, again({ text: understood }), told);
  };
  const second = once(async () => goneOn(await first()));
  const asking = once(async () => {
    const { questionTool } = profile;
    const tool =
      questionTool === undefined
        ? { ask: question }
        : { name: questionTool, args: questionInput(question) };
    const turns = [{ text: 'This I cannot know.', tool }, ...again({ text: understood })];
    return play(await converse(lanes), turns, { prompt: askPrompt, deadlineMs });
  });
  const answered = once(async () => goneOn(await asking()));
  const patient = once(async () => {
    const tool = { shell: `node -e "setTimeout(() => console.log('${lateText}'), 1500)"` };
    const turns = [{ text: 'This takes a while.', tool }, ...again({ text: understood })];
    const told = { prompt: 'Run the slow command, then say so.', deadlineMs };
    return play(await converse(lanes), turns, told);
  });
  const interrupted = {
    cancel: once(() => interruptedBy(lanes, 'cancel', `${escaped} ${endless}`)),
    kill: once(() => interruptedBy(lanes, 'kill', `${escaped} ${endless}`)),
  };
  return {
    ...{ profile, lanes, today, first, second, asking, answered, patient },
    interrupted: (by) => interrupted[by](),
    cancelled: once(() => interruptedBy(lanes, 'cancel', endless)),
    version: () => lanes.version().catch(gaveWay),
    async failing(by) {
      const fails = { by, resetsInSeconds, everyMs: 5 };
      const text = by === 'trickle' ? trickled : 'Never to be read whole.';
      const told = { prompt: 'Say anything.', deadlineMs };
      return play(await converse(lanes), again({ text, fails }), told);
    },
  };
}

async function interruptedBy(
  lanes: AgentLanes,
  by: 'cancel' | 'kill',
  shell: string,
): Promise<Scene> {
  const conversation = await converse(lanes);
  const over = new AbortController();
  const interrupt = fileThere(join(conversation.tree, running), over.signal).then(() => by);
  const turns = again({ text: 'I run it.', tool: { shell } });
  const told = { prompt: 'Run the command.', interrupt, deadlineMs: 60_000 };
  return play(conversation, turns, told).finally(() => over.abort());
}

/** At most a minute. */
async function nextMinute(): Promise<void> {
  const minute = () => Math.floor(Date.now() / 60_000);
  const begun = minute();
  while (minute() === begun) await wait(200);
}

/** Settles when the file is there; never, once it is over. */
async function fileThere(path: string, over: AbortSignal): Promise<void> {
  while (!existsSync(path)) {
    if (over.aborted) return new Promise(() => {});
    await wait(20);
  }
}

type Told = Pick<TurnRequest, 'prompt'> & Partial<TurnRequest>;

async function play(
  conversation: Conversation,
  turns: readonly Turn[],
  told: Told,
): Promise<Scene> {
  const startedAt = Date.now();
  const server = await modelServer({ script: { '': fromFirst(turns) } }).catch(gaveWay);
  const signs: { sign: LaneEvent | 'bytes'; requests: number }[] = [];
  try {
    const turn = await conversation
      .turn({
        ...{ models: server.url, sessionId: null, servers: [], deadlineMs: turnMsMax },
        onSign: (sign) => signs.push({ sign, requests: server.requests().length }),
        ...told,
      })
      .catch(gaveWay);
    return { conversation, turn, requests: server.requests(), signs, startedAt };
  } finally {
    await server.close();
  }
}

/** Some programs begin with a word of the model that they made up themselves. */
function fromFirst(turns: readonly Turn[]): Turns {
  let first: number | null = null;
  return (request, turn) => {
    if (request.tools.length === 0) return { text: sideAnswer(request.schema) };
    first ??= turn;
    return turns[turn - first] ?? { text: 'Nothing more is scripted.' };
  };
}

function gaveWay(cause: unknown): never {
  const message = cause instanceof Error ? cause.message : String(cause);
  throw new InfrastructureError(message, { cause });
}

function converse(lanes: AgentLanes): Promise<Conversation> {
  return lanes.conversation().catch(gaveWay);
}

function again(turn: Turn): readonly Turn[] {
  return Array.from({ length: repeated }, () => turn);
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () => {
    made ??= make();
    return made;
  };
}

/** A request without tools is a side errand: a title, a route. */
export function mainRequests({ requests }: Pick<Scene, 'requests'>): readonly AnsweredRequest[] {
  return requests.filter(({ request }) => request.tools.length > 0);
}
