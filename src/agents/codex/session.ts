/**
 * The thread that a turn goes on with, and what it had used until then: Codex tells the figures of
 * a whole thread, so what was told of earlier turns must be taken off. It keeps a record of each
 * thread in its home, and the newest figures stand near the end of that; a turn that never told its
 * figures is in those, too. One whose record is gone cannot be gone on with.
 */
import { join } from 'node:path';
import { type Fields, fieldsOf, parsedJson } from '../../kernel/json.ts';
import type { AgentPrograms, TurnSetting } from '../../ports/agent.ts';
import { type Counts, countsOf, noCounts } from './counts.ts';

export interface CodexSession {
  readonly thread: string;
  readonly before: Counts;
}

/** What is read of a record; one step of a turn is far smaller. */
const recordBytesMax = 1024 * 1024;
const dayMs = 86_400_000;
const isThread = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Null: it begins a thread. `home`: where Codex keeps its own. */
export function sessionOf(setting: TurnSetting, home: string): CodexSession | null {
  const thread = setting.dispatch.sessionId;
  // What is no name of its own is never put into an argument.
  if (thread === null || !isThread.test(thread)) return null;
  const record = recordOf(thread, setting.programs, join(home, 'sessions'));
  if (record === null) return null;
  const end = setting.programs.tail(record, recordBytesMax) ?? '';
  return { thread, before: lastCounts(end) ?? noCounts };
}

/** In a folder for the day on which it began, by the clock on the wall, wherever that hangs. */
function recordOf(thread: string, programs: AgentPrograms, sessions: string): string | null {
  const begun = Number.parseInt(thread.replace('-', '').slice(0, 12), 16);
  for (const days of [0, -1, 1]) {
    const day = new Date(begun + days * dayMs).toISOString().slice(0, 10).split('-');
    const folder = join(sessions, ...day);
    const name = programs.list(folder).find((one) => one.endsWith(`-${thread}.jsonl`));
    if (name !== undefined) return join(folder, name);
  }
  return null;
}

function lastCounts(lines: string): Counts | null {
  for (const line of lines.split('\n').reverse()) {
    if (!line.includes('"token_count"')) continue;
    const payload = fieldsOf(fieldsOf(parsedJson(line))['payload']);
    const total: Fields = fieldsOf(fieldsOf(payload['info'])['total_token_usage']);
    if (payload['type'] === 'token_count' && 'input_tokens' in total) return countsOf(total);
  }
  return null;
}
