/** Whatever a program prints: nothing is thrown, and what is kept stays bounded. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { recorded } from '../../../../test/support/played-talk.ts';
import type { Talk } from '../../../ports/agent.ts';
import type { LaneEvent } from '../../../ports/lane-event.ts';
import { claudeSpeech } from '../../claude/speech.ts';
import { claudeTranscript } from '../../claude/transcript.ts';
import { noCounts } from '../../codex/counts.ts';
import { codexTranscript } from '../../codex/transcript.ts';
import { jsonTalk } from './talk.ts';

const talks: readonly (readonly [name: string, make: () => Talk, file: string])[] = [
  [
    'claude',
    () => jsonTalk(claudeTranscript('default', false, claudeSpeech('go'))),
    '../../claude/x.ts',
  ],
  ['codex', () => jsonTalk(codexTranscript(noCounts)), '../../codex/x.ts'],
];

/** Real lines whose values are anything; keys stay, so that every branch is walked. */
function broken(lines: readonly string[]): fc.Arbitrary<string> {
  return fc
    .tuple(fc.constantFrom(...lines), fc.nat(), fc.jsonValue())
    .map(([line, at, value]) => {
      let left = at % 40;
      return JSON.stringify(JSON.parse(line), (_key, found) => {
        left -= 1;
        return left === -1 ? value : found;
      });
    })
    .filter((line) => line !== undefined);
}

for (const [name, make, file] of talks) {
  test(`no line of ${name} throws, and each tool begins and ends once`, () => {
    const real = recorded('turn', new URL(file, import.meta.url).href);
    const line = fc.oneof(broken(real), fc.json(), fc.string(), fc.constantFrom(...real));
    fc.assert(
      fc.property(fc.array(line, { maxLength: 10 }), (lines) => {
        const talk = make();
        const events = lines.flatMap((each) => talk.line(each).events);
        const end = talk.end({ exit: 0, signal: null }, null);
        const ids = (kind: LaneEvent['kind']) =>
          events.flatMap((event) => (event.kind === kind && 'id' in event ? [event.id] : []));
        const [begun, over] = [ids('tool_started'), ids('tool_finished')];
        expect(new Set(begun).size).toBe(begun.length);
        expect(over.every((id) => begun.includes(id))).toBe(true);
        expect(new Set(over).size).toBe(over.length);
        return typeof end.outcome === 'string';
      }),
    );
  });

  test(`what ${name} is remembered by does not grow with what it prints`, () => {
    const [talk, long] = [make(), 'x'.repeat(5_000)];
    const told = Array.from({ length: 1_000 }, (_, n) => [
      { type: 'item.started', item: { type: 'command_execution', id: `i${n}${long}` } },
      {
        type: 'assistant',
        message: { content: [{ type: 'tool_use', id: `c${n}`, name: 'Bash' }] },
      },
      { type: 'system', subtype: 'permission_denied', tool_use_id: `d${n}`, tool_name: long },
    ]).flat();
    let events = 0;
    for (const one of told) events += JSON.stringify(talk.line(JSON.stringify(one)).events).length;
    const result = { type: 'result', subtype: 'success', result: long.repeat(200) };
    const ended = [result, { type: 'turn.completed', usage: {} }].flatMap(
      (one) => talk.line(JSON.stringify(one)).events,
    );
    expect(ended.filter(({ kind }) => kind === 'tool_finished').length).toBeLessThanOrEqual(200);
    expect(events / told.length).toBeLessThan(1_000);
    expect(JSON.stringify(talk.end({ exit: 0, signal: null }, null)).length).toBeLessThan(300_000);
  });
}
