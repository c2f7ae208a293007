/** The adapter of the fake agent: what to spawn, and what its lines mean. */
import { fileURLToPath } from 'node:url';
import { withLeft } from '../../../src/agents/drivers/left-result.ts';
import type { Usage } from '../../../src/domain/execution/state.ts';
import {
  type Adapter,
  saidNothing,
  type Talk,
  type TurnEnd,
  type TurnSetting,
} from '../../../src/ports/agent.ts';
import type { LaneEvent } from '../../../src/ports/lane-event.ts';

const program = fileURLToPath(new URL('fake-agent.mjs', import.meta.url));

export interface FakeOptions {
  /** What is broken in the program. */
  readonly modes: readonly string[];
  /** The adapter forgets to turn telemetry off, or to give it a home. */
  readonly forgets?: 'quiet' | 'home';
}

export function fakeAdapter(options: FakeOptions): Adapter {
  return {
    name: 'fake',
    version: '1',
    launch(setting) {
      const session = setting.dispatch.sessionId ?? 'new';
      return {
        argv: [process.execPath, program, session, options.modes.join(',')],
        env: environment(setting, options),
        stdin: setting.dispatch.prompt,
        seeds: [{ path: 'config.json', text: '{"updates":false}' }],
        talk: talk(),
      };
    },
  };
}

function environment({ files, servers, env }: TurnSetting, { forgets }: FakeOptions) {
  return {
    FAKE_HOME: forgets === 'home' ? `${env['HOME'] ?? ''}` : files.home,
    FAKE_TELEMETRY: forgets === 'quiet' ? 'on' : 'off',
    FAKE_SERVERS: JSON.stringify(servers),
    PAWL_RESULT_FILE: files.result,
  };
}

interface Fact {
  readonly type: 'ready' | 'session' | 'tool' | 'done' | 'failed';
  readonly [name: string]: unknown;
}

function talk(): Talk {
  const facts: Fact[] = [];
  return {
    isOpen: false,
    begin: () => saidNothing,
    line(text) {
      const fact = JSON.parse(text) as Fact;
      facts.push(fact);
      return { write: [], events: eventsOf(fact) };
    },
    decide: () => saidNothing,
    cancel: () => saidNothing,
    end(exit, resultFile) {
      const last = facts.at(-1);
      const sessionId = facts.find(({ type }) => type === 'session')?.['id'];
      const session = typeof sessionId === 'string' ? sessionId : null;
      if (last?.type === 'done') return withLeft(ended(last, session), resultFile, session);
      if (last?.type === 'failed') return failed(last, session);
      const detail = `it ended with ${exit.exit ?? exit.signal} and no last word`;
      return { outcome: 'lane_died', detail, usage: null };
    },
  };
}

function eventsOf(fact: Fact): readonly LaneEvent[] {
  switch (fact.type) {
    case 'ready':
      return [{ kind: 'started', version: textOr(fact['version']), model: null, mode: null }];
    case 'session':
      return [{ kind: 'session', id: String(fact['id']) }];
    case 'tool': {
      const id = String(fact['id']);
      return fact['status'] === 'started'
        ? [{ kind: 'tool_started', id, name: String(fact['name']), timeoutMs: null }]
        : [{ kind: 'tool_finished', id, status: 'completed' }];
    }
    case 'done':
      return [{ kind: 'turn_finished', reason: 'end' }];
    case 'failed':
      return [{ kind: 'error', detail: String(fact['detail']) }];
  }
}

function textOr(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function ended(fact: Fact, sessionId: string | null): TurnEnd {
  const text = textOr(fact['text']);
  return { outcome: 'turn_ended', text, until: null, usage: usageOf(fact), sessionId };
}

function failed(fact: Fact, sessionId: string | null): TurnEnd {
  const { status, code } = fact;
  const usage = usageOf(fact);
  const seconds = Number(fact['retryAfter'] ?? Number.NaN);
  const until = Number.isFinite(seconds) ? Date.now() + seconds * 1_000 : null;
  if (status === 429) return { outcome: 'limit', text: null, until, usage, sessionId };
  const detail = String(fact['detail']);
  return { outcome: 'failed', class: classOf(status, code), detail, usage, sessionId };
}

function classOf(status: unknown, code: unknown) {
  if (status === 401) return 'auth_required' as const;
  return code === 'context_length_exceeded' ? ('context_overflow' as const) : 'transport_lost';
}

function usageOf(fact: Fact): Usage {
  const told = fact['usage'] as {
    readonly in: number;
    readonly out: number;
    readonly cached: number;
  };
  return {
    costUsd: null,
    source: 'self-reported',
    tokensIn: told.in,
    tokensOut: told.out,
    cacheRead: told.cached,
    cacheWrite: 0,
  };
}
