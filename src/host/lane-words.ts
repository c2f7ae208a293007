/**
 * What there is to read of a conversation that is held in messages: the agent's words put together
 * to lines, and a line for each tool it used. Tools that ended well are not told of twice.
 */
import type { LaneEvent } from '../ports/lane-event.ts';

export interface LaneWords {
  hear(event: LaneEvent): void;
  /** Nothing more will be heard. */
  end(): void;
  /** The newest of what was said; bounded. */
  newest(): string;
}

/** A longer line is told in parts, which are not ended: a secret may lie across their border. */
const lineMax = 8 * 1024;
const newestMax = 16 * 1024;
/** Of more tools at once the oldest is not told of when it fails. */
const openMax = 200;

/** `said`: a stream of lines with their ends, of which each but a very long one is told whole. */
export function laneWords(tell: (kind: 'said' | 'tool', text: string) => void): LaneWords {
  let open = '';
  /** The line that is open was told in part. */
  let isBegun = false;
  let newest = '';
  const tools = new Map<string, string>();
  const say = (text: string) => {
    newest = endOf(newest + text);
    isBegun = !text.endsWith('\n');
    tell('said', text);
  };
  const take = (text: string, isFirst: boolean) => {
    if (isFirst) close();
    open += text;
    const end = open.lastIndexOf('\n') + 1;
    if (end > 0) say(open.slice(0, end));
    open = open.slice(end);
    if (open.length <= lineMax) return;
    say(open);
    open = '';
  };
  const close = () => {
    if (open !== '' || isBegun) say(`${open}\n`);
    open = '';
  };
  const whole = (text: string) => {
    say(text.endsWith('\n') ? text : `${text}\n`);
  };
  const begun = (id: string, words: string) => {
    tell('tool', words);
    keep(tools, id, words);
  };
  const over = (id: string, isFailed: boolean) => {
    const words = tools.get(id);
    tools.delete(id);
    if (isFailed && words !== undefined) tell('tool', `failed: ${words}`);
  };
  const apart = (event: LaneEvent) => {
    switch (event.kind) {
      case 'text':
      case 'question':
        return whole(event.text);
      case 'tool_started':
        return begun(event.id, wordsOf(event));
      case 'tool_finished':
        return over(event.id, event.status === 'failed');
      default:
    }
  };
  return {
    hear(event) {
      // Figures and signs of life come in the middle of a sentence.
      if (event.kind === 'usage' || event.kind === 'notice') return;
      if (event.kind === 'text' && event.isWhole !== true) {
        return take(event.text, event.isFirst === true);
      }
      close();
      apart(event);
    },
    end: close,
    newest: () => newest + open,
  };
}

/** Cut between words, so that half a secret is none of it. */
function endOf(text: string): string {
  if (text.length <= newestMax) return text;
  const end = text.slice(-newestMax);
  const gap = end.search(/\s/);
  return gap < 0 ? '' : end.slice(gap + 1);
}

function wordsOf(tool: Extract<LaneEvent, { readonly kind: 'tool_started' }>): string {
  return tool.with === undefined ? tool.name : `${tool.name}: ${tool.with}`;
}

function keep(tools: Map<string, string>, id: string, words: string): void {
  tools.set(id, words);
  const [oldest] = tools.keys();
  if (tools.size > openMax && oldest !== undefined) tools.delete(oldest);
}
