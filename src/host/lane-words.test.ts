/** Goal: what an agent says is told in whole lines, each word once, and its tools between them. */
import { expect, test } from 'vitest';
import type { LaneEvent } from '../ports/lane-event.ts';
import { laneWords } from './lane-words.ts';

function hearing(...events: readonly LaneEvent[]) {
  const told: string[] = [];
  const words = laneWords((kind, text) => told.push(`${kind} ${JSON.stringify(text)}`));
  for (const event of events) words.hear(event);
  words.end();
  return { told, newest: words.newest() };
}
const text = (of: string): LaneEvent => ({ kind: 'text', text: of });
const whole = (of: string): LaneEvent => ({ kind: 'text', text: of, isWhole: true });
const tool = (id: string): LaneEvent => ({ kind: 'tool_started', id, name: id, timeoutMs: null });

test('pieces become lines, whatever figures come between them', () => {
  const { told, newest } = hearing(text('a b'), { kind: 'notice' }, text('c\nd\ne'), text('f'));
  expect(told).toEqual(['said "a bc\\nd\\n"', 'said "ef\\n"']);
  expect(newest).toBe('a bc\nd\nef\n');
});

test('a message in pieces begins a line of its own', () => {
  const first = (of: string): LaneEvent => ({ kind: 'text', text: of, isFirst: true });
  const { told } = hearing(
    first('I lo'),
    text('ok.'),
    { kind: 'notice' },
    first('Do'),
    text('ne.'),
  );
  expect(told).toEqual(['said "I look.\\n"', 'said "Done.\\n"']);
});

test('whole messages are lines of their own', () => {
  expect(hearing(text('x'), whole('one'), whole('two\n')).told).toEqual([
    ...['said "x\\n"', 'said "one\\n"', 'said "two\\n"'],
  ]);
});

test('a tool is told when it begins, and again when it failed', () => {
  const finished = (id: string, status: 'completed' | 'failed'): LaneEvent => ({
    ...{ kind: 'tool_finished', id, status },
  });
  const ends = [finished('ls', 'completed'), finished('cat', 'failed'), finished('no', 'failed')];
  const { told } = hearing(text('look'), tool('ls'), tool('cat'), ...ends);
  expect(told).toEqual(['said "look\\n"', 'tool "ls"', 'tool "cat"', 'tool "failed: cat"']);
});

test('a line without end is told in parts, and what is kept of it is bounded', () => {
  const { told, newest } = hearing(...Array.from({ length: 100 }, () => text('x'.repeat(1_000))));
  expect(told.length).toBeGreaterThan(5);
  const parts = told.map((one) => JSON.parse(one.slice('said '.length)));
  // Not ended in between: there a secret would be taken for two words.
  expect(parts.join('')).toBe(`${'x'.repeat(100_000)}\n`);
  expect(newest.length).toBeLessThan(20_000);
});
