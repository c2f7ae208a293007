/** A recorded conversation, told to a talk line by line. */
import { readFileSync } from 'node:fs';
import type { ProgramExit, Talk, TurnEnd } from '../../src/ports/agent.ts';
import type { LaneEvent } from '../../src/ports/lane-event.ts';

export interface Played {
  readonly events: readonly LaneEvent[];
  readonly end: TurnEnd;
  of<K extends LaneEvent['kind']>(kind: K): readonly Extract<LaneEvent, { kind: K }>[];
}

export function played(
  talk: Talk,
  lines: readonly string[],
  exit: ProgramExit = { exit: 0, signal: null },
): Played {
  const events = lines.flatMap((line) => talk.line(line).events);
  return {
    events,
    end: talk.end(exit, null),
    of: (kind) => events.filter((event) => event.kind === kind) as never,
  };
}

/** Lines of a file beside the test. */
export function recorded(name: string, from: string): readonly string[] {
  const text = readFileSync(new URL(`./recorded/${name}.ndjson`, from), 'utf8');
  return text.split('\n').filter((line) => line !== '');
}
