/**
 * Requests for permission that wait for an answer. An option is chosen by its kind, never by its
 * id, which differs by agent and version (research/acp.md §5.13): once, and without anything that
 * changes how later requests are answered.
 */
import { createHash } from 'node:crypto';
import { type Fields, fieldsIn, fieldsOf, isFields, textOf } from '../../../kernel/json.ts';
import { clipLine } from '../../../kernel/text.ts';
import type { LaneEvent } from '../../../ports/lane-event.ts';
import { type RpcId, resultLine } from './rpc.ts';
import type { ToolLedger } from './tools.ts';

const waitingMax = 100;
const titleMax = 300;
const depthMax = 20;

export interface Waiting {
  readonly id: RpcId;
  readonly call: Fields;
  readonly options: readonly Fields[];
}

export interface PermissionDesk {
  /** Null: too many wait already, or it cannot be answered; then `refusal` is what to write. */
  asked(id: RpcId, params: Fields, tools: ToolLedger): LaneEvent | null;
  /** Null: nothing of that name waits. */
  take(request: string): Waiting | null;
  /** Answers to all that wait, for a turn that is called off. */
  cancelAll(): readonly string[];
}

export function permissionDesk(): PermissionDesk {
  const waiting = new Map<string, Waiting>();
  return {
    asked(id, params, tools) {
      const call = fieldsOf(params['toolCall']);
      if (waiting.size >= waitingMax) return null;
      waiting.set(String(id), { id, call, options: fieldsIn(params['options']) });
      const tool = tools.nameOf(call);
      const title = clipLine(textOf(call['title']) ?? tool, titleMax);
      return { kind: 'permission', request: String(id), tool, title, digest: digestOf(tool, call) };
    },
    take(request) {
      const one = waiting.get(request) ?? null;
      waiting.delete(request);
      return one;
    },
    cancelAll() {
      const answers = [...waiting.values()].map(({ id }) => cancelledLine(id));
      waiting.clear();
      return answers;
    },
  };
}

export const cancelledLine = (id: RpcId): string =>
  resultLine(id, { outcome: { outcome: 'cancelled' } });

/** Where nothing that fits is offered, the request is called off: never a wider permission. */
export function answerLine({ id, options }: Waiting, decision: 'allow' | 'deny'): string {
  const optionId = textOf(optionFor(options, decision)?.['optionId']);
  if (optionId === null) return cancelledLine(id);
  return resultLine(id, { outcome: { outcome: 'selected', optionId } });
}

function optionFor(options: readonly Fields[], decision: 'allow' | 'deny'): Fields | undefined {
  const kind = decision === 'allow' ? 'allow_once' : 'reject_once';
  const once = options.filter((option) => option['kind'] === kind);
  return once.find(({ optionId, name }) => !/switch/i.test(`${optionId} ${name}`));
}

/** The same for the same tool with the same input, in whichever turn it is asked. */
function digestOf(tool: string, call: Fields): string {
  const input = isFields(call['rawInput']) ? call['rawInput'] : { title: call['title'] };
  const text = JSON.stringify([tool, call['kind'] ?? null, sorted(input, 0)]);
  return createHash('sha256').update(text).digest('hex');
}

/** JSON that does not depend on the order of keys. What is nested deeper than any input is cut. */
function sorted(value: unknown, depth: number): unknown {
  if (depth > depthMax) return null;
  if (Array.isArray(value)) return value.map((one) => sorted(one, depth + 1));
  if (!isFields(value)) return value ?? null;
  const keys = Object.keys(value).sort();
  return keys.map((key) => [key, sorted(value[key], depth + 1)]);
}
