/**
 * The other end of a conversation over ACP: an agent without a process, that says what a test makes
 * it say, or what a real one was recorded to say.
 */
import { readFileSync } from 'node:fs';
import { type AcpTurn, plainProfile } from '../../src/agents/drivers/acp/profile.ts';
import { acpTalk } from '../../src/agents/drivers/acp/talk.ts';
import type { Said, Talk, TurnSetting } from '../../src/ports/agent.ts';
import type { LaneEvent } from '../../src/ports/lane-event.ts';
import type { Dispatch } from '../../src/ports/plane.ts';
import { turnSetting as usualSetting } from './turn-setting.ts';

export type Message = Readonly<Record<string, unknown>> & {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
};

export interface AcpAgent {
  readonly talk: Talk;
  readonly events: LaneEvent[];
  /** All that was written to it. */
  readonly heard: Message[];
  /** Prints a line. */
  prints(line: string | object): void;
  /** Tells an update of its session. */
  updates(update: object): void;
  /** Answers the newest request of that method, or of any. */
  answers(result: unknown, method?: string): void;
  fails(error: object, method?: string): void;
  takes(said: Said): void;
  /** Names of the methods that it was asked, in order. */
  asked(): readonly string[];
  /** From the first message to the prompt, without more than is needed. */
  opens(session?: object): void;
}

export const session = 's-1';

/** A turn with `turn` over the plainest one. */
export function acpAgent(turn: Partial<AcpTurn> = {}): AcpAgent {
  return agentOf(
    acpTalk({
      ...{ profile: plainProfile, cwd: '/tree', prompt: 'do it', sessionId: null, servers: [] },
      ...{ settings: [], isTrusted: false },
      ...turn,
    }),
  );
}

export function agentOf(talk: Talk): AcpAgent {
  const events: LaneEvent[] = [];
  const heard: Message[] = [];
  const takes = ({ write, events: told }: Said) => {
    events.push(...told);
    for (const text of write) heard.push(...text.trimEnd().split('\n').map(parse));
  };
  const prints = (line: string | object) =>
    takes(talk.line(typeof line === 'string' ? line : JSON.stringify(line)));
  const newest = (method?: string) =>
    heard.findLast((one) => one.id !== undefined && (method ?? one.method) === one.method)?.id;
  const rpc = (message: object) => prints({ jsonrpc: '2.0', ...message });
  const agent: AcpAgent = {
    talk,
    events,
    heard,
    prints,
    takes,
    updates: (update) => rpc({ method: 'session/update', params: { sessionId: session, update } }),
    answers: (result, method) => rpc({ id: newest(method), result }),
    fails: (error, method) => rpc({ id: newest(method), error }),
    asked: () => heard.flatMap(({ method, id }) => (method && id !== undefined ? [method] : [])),
    opens(more = {}) {
      agent.answers({ protocolVersion: 1, agentCapabilities: {} });
      agent.answers({ sessionId: session, ...more });
    },
  };
  takes(talk.begin());
  return agent;
}

const parse = (text: string): Message => JSON.parse(text) as Message;

/**
 * What a real agent printed, played again. Recorded were three requests: initialize, the session,
 * the prompt; what is asked besides is answered between two lines, as a real one would. `live`: a
 * text of the first line after an earlier conversation was replayed.
 */
export function replay(agent: AcpAgent, file: URL, live?: string): void {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  let isLive = live === undefined;
  for (const line of lines) {
    isLive = isLive || (live !== undefined && line.includes(live));
    const message = parse(line);
    const waits = settingOf(agent) !== null;
    while (isLive && settleOne(agent));
    agent.prints(message.method === undefined ? { ...message, id: idOf(agent, message) } : message);
    // In the midst of a replay one answer comes with each line.
    if (!isLive && waits) settleOne(agent);
  }
}

/** A setting that is not answered yet. */
function settingOf({ heard }: AcpAgent): Message | null {
  const last = heard.findLast(({ id }) => id !== undefined);
  return last !== undefined && /session\/set_/.test(last.method ?? '') ? last : null;
}

function settleOne(agent: AcpAgent): boolean {
  const setting = settingOf(agent);
  if (setting === null) return false;
  // A list of options is whole: those that were set before stand in it, too.
  const configOptions = agent.heard.flatMap(({ params }) =>
    params?.['configId'] === undefined
      ? []
      : [{ id: params['configId'], currentValue: params['value'] }],
  );
  agent.answers(setting.params?.['configId'] === undefined ? {} : { configOptions });
  return true;
}

function idOf(agent: AcpAgent, { id }: Message): number | string | undefined {
  const methods = [/^initialize$/, /^session\/(new|load|resume)$/, /^session\/prompt$/];
  const method = methods[Number(id) - 1];
  return agent.heard.findLast((one) => method?.test(one.method ?? ''))?.id;
}

/** A turn of a known agent, as the host would set it. */
export function turnSetting(more: Partial<TurnSetting> = {}, env = {}): TurnSetting {
  const dispatch = { definition: { env: { allow: [], set: {} } } } as unknown as Partial<Dispatch>;
  return { ...usualSetting({ env, dispatch, job: { attempt: 2 } }), ...more };
}
