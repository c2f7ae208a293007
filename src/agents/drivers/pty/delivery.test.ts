/**
 * Goal: a prompt that has to be typed is delivered, or it is said that it was not.
 * Method: a program is a function of the keys that it got; it is looked at four times a second.
 */
import { describe, expect, test } from 'vitest';
import type { Talk } from '../../../ports/agent.ts';
import type { LaneEvent } from '../../../ports/lane-event.ts';
import { commandEnd } from '../../command/adapter.ts';
import { typed } from './delivery.ts';
import { ptyTalk } from './talk.ts';

const prompt = { text: 'first line\nsecond line\nthird', path: '/spool/prompt.md' };
const paste = '\u001b[200~first line\rsecond line\rthird\u001b[201~';

interface Program {
  /** Rows by what was typed until now, and for how many seconds it runs. */
  readonly rows: (keys: readonly string[], second: number) => readonly string[];
  readonly takesPastes?: boolean;
}

function played({ rows, takesPastes = true }: Program, seconds = 120) {
  const talk = ptyTalk({ prompt, end: commandEnd });
  const keys: string[] = [];
  const events: LaneEvent[] = [];
  for (let atMs = 0; atMs <= seconds * 1_000; atMs += 250) {
    const said = talk.look?.({ atMs, rows: rows(keys, atMs / 1_000), takesPastes });
    keys.push(...(said?.write ?? []));
    events.push(...(said?.events ?? []));
  }
  return { talk, keys, told: events.map(toldOf) };
}

const toldOf = (event: LaneEvent) => (event.kind === 'delivery' ? event.state : event.kind);
const endOf = (talk: Talk) => talk.end({ exit: 0, signal: null }, null);

/** Shows what was pasted, and takes it with the key after it. */
const echoing = (keys: readonly string[]): readonly string[] => {
  const [pasted, ...rest] = keys;
  if (pasted === undefined) return ['welcome', '> _'];
  return rest.includes('\r') ? ['welcome', 'working on it'] : ['welcome', '> [3 lines pasted]'];
};

describe('a prompt that is typed (RR-19)', () => {
  test('is one paste and one key, each after the screen came to rest (L-H10, L-H14)', () => {
    const { keys, told, talk } = played({ rows: echoing });
    expect(keys).toEqual([paste, '\r']);
    expect(told).toEqual(['typed', 'confirmed']);
    expect(endOf(talk)).toMatchObject({ outcome: 'turn_ended' });
    expect(talk.isCalledOff?.()).toBe(false);
  });

  test('waits for a screen that is there and rests; a spinner is no unrest', () => {
    const { keys } = played({
      rows: (typedKeys, second) =>
        second < 5 ? [] : second < 9 ? [`loading ${'x'.repeat(second * 4)}`] : echoing(typedKeys),
    });
    expect(keys).toEqual([paste, '\r']);
    const spins = played({
      rows: (typedKeys, second) => [
        `${'|/-\\'[(second * 4) % 4]} (${second}s)`,
        ...echoing(typedKeys),
      ],
    });
    expect(spins.told).toEqual(['typed', 'confirmed']);
  });

  test('a key that got lost is sent once more (L-H12)', () => {
    const rows = (keys: readonly string[]) =>
      keys.length < 3 ? echoing(keys.slice(0, 1)) : echoing(keys);
    const { keys, told } = played({ rows });
    expect(keys).toEqual([paste, '\r', '\r']);
    expect(told).toEqual(['typed', 'confirmed']);
  });

  test('a dialog that eats it is not answered, and its clean exit is no turn (L-H1, L-H3)', () => {
    const { keys, told, talk } = played({
      rows: () => ['Do you trust this folder?', '❯ No, exit'],
    });
    expect(keys).toEqual([paste]);
    expect(told).toEqual(['typed', 'failed', 'error', 'turn_finished']);
    expect(talk.isCalledOff?.()).toBe(true);
    expect(endOf(talk)).toMatchObject({
      outcome: 'failed',
      class: 'dispatch_failed',
      detail: expect.stringMatching(/a dialog may stand there; on its screen: do you trust this/),
    });
  });

  test('a program that shows nothing, never rests, or takes no key has not got it', () => {
    for (const rows of [
      () => [],
      (_: readonly string[], second: number) => [`row ${'abcdefgh'[(second * 4) % 8]} of many`],
      (keys: readonly string[]) => echoing(keys.slice(0, 1)),
    ]) {
      const { told, talk } = played({ rows });
      expect(told.slice(-3)).toEqual(['failed', 'error', 'turn_finished']);
      expect(endOf(talk)).toMatchObject({ class: 'dispatch_failed' });
    }
  });

  test('one that ends before is a failure whatever its exit, but for a result that it left', () => {
    const { talk } = played({ rows: echoing }, 0.5);
    expect(endOf(talk)).toMatchObject({
      class: 'dispatch_failed',
      detail: expect.stringContaining('the program ended before (exit 0)'),
    });
    const left = talk.end({ exit: 0, signal: null }, '{"outcome":"done"}');
    expect(left).toMatchObject({ outcome: 'turn_ended' });
  });
});

describe('what is typed', () => {
  test('cannot end the paste or press a key', () => {
    const text = 'a\u001b[201~\u0003b\r\nc';
    expect(typed({ ...prompt, text }, true)).toBe('\u001b[200~a[201~b\rc\u001b[201~');
  });
  test('is one line where pastes are not told apart: the prompt, or where it lies', () => {
    expect(typed({ ...prompt, text: 'do\tit' }, false)).toBe('do it');
    const line = 'Do what is written in the file /spool/prompt.md';
    expect(typed(prompt, false)).toBe(line);
    expect(typed({ ...prompt, text: 'x'.repeat(5_000) }, true)).toBe(
      `\u001b[200~${line}\u001b[201~`,
    );
  });
});
