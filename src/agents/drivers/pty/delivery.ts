/**
 * Types the prompt into a program that takes it in no other way, and believes nothing that its
 * screen does not confirm (RR-19). Pure: what stands on the screen goes in, keys come out.
 *
 * Invariants:
 *   P1. Nothing is typed before the screen shows something and has come to rest.
 *   P2. The prompt is one paste, or one line: it is never submitted in pieces (L-H10).
 *   P3. It is submitted only after the screen showed the paste: a dialog that ate it is not
 *       answered (L-H1, L-H3). The key comes by itself, and once more at most (L-H12, L-H14).
 *   P4. Every step has a deadline, after which the delivery has failed.
 */
import { masked } from '../../../domain/liveness/screen-mask.ts';
import type { ScreenLook } from '../../../ports/agent.ts';

export type Step = 'waiting' | 'pasted' | 'submitted' | 'confirmed' | 'failed';

export interface Delivery {
  readonly step: Step;
  /** Why it failed. */
  readonly problem: string | null;
  readonly sinceMs: number | null;
  /** The screen, without what moves by itself, and since when it stands. */
  readonly screen: string;
  readonly stillSinceMs: number;
  /** What it showed before the last key. */
  readonly before: string;
  readonly submits: number;
}

export const undelivered: Delivery = {
  step: 'waiting',
  problem: null,
  sinceMs: null,
  screen: '',
  stillSinceMs: 0,
  before: '',
  submits: 0,
};

export interface Prompt {
  readonly text: string;
  /** Where the same lies as a file. */
  readonly path: string;
}

/** DESIGN §7: so long a program may take until it is up. */
const readyMsMax = 60_000;
/** A screen that is the same for so long is at rest. */
const restMs = 1_000;
const echoMsMax = 10_000;
const submitMsMax = 5_000;
const submitsMax = 2;
/** Longer ones are pointed to: a terminal's line takes no more than some thousand bytes at once. */
const typedMax = 2_000;

const enter = '\r';

/** One look at the screen: what is known after it, and what is typed. */
export function looked(
  before: Delivery,
  look: ScreenLook,
  prompt: Prompt,
): { readonly after: Delivery; readonly keys: string | null } {
  const seen = watched(before, look);
  switch (seen.step) {
    case 'waiting':
      return waiting(seen, look, prompt);
    case 'pasted':
      return pasted(seen, look);
    case 'submitted':
      return submitted(seen, look);
    case 'confirmed':
    case 'failed':
      return { after: seen, keys: null };
  }
}

function watched(before: Delivery, { atMs, rows }: ScreenLook): Delivery {
  const screen = rows
    .map(masked)
    .filter((row) => row !== '')
    .join('\n');
  const sinceMs = before.sinceMs ?? atMs;
  if (screen === before.screen && before.sinceMs !== null) return before;
  return { ...before, screen, sinceMs, stillSinceMs: atMs };
}

type Looked = ReturnType<typeof looked>;

function waiting(seen: Delivery, look: ScreenLook, prompt: Prompt): Looked {
  if (isAtRest(seen, look) && seen.screen !== '') {
    return { after: next(seen, 'pasted', look), keys: typed(prompt, look.takesPastes) };
  }
  const why = 'the screen of the program stayed empty, or did not come to rest';
  return unless(isLate(seen, look, readyMsMax), seen, why);
}

function pasted(seen: Delivery, look: ScreenLook): Looked {
  if (seen.screen !== seen.before && isAtRest(seen, look)) {
    return { after: { ...next(seen, 'submitted', look), submits: 1 }, keys: enter };
  }
  const why = 'what was typed did not show on the screen of the program; a dialog may stand there';
  return unless(isLate(seen, look, echoMsMax), seen, why);
}

function submitted(seen: Delivery, look: ScreenLook): Looked {
  if (seen.screen !== seen.before) return { after: next(seen, 'confirmed', look), keys: null };
  if (!isLate(seen, look, submitMsMax)) return { after: seen, keys: null };
  if (seen.submits < submitsMax) {
    const after = { ...next(seen, 'submitted', look), submits: seen.submits + 1 };
    return { after, keys: enter };
  }
  return unless(true, seen, 'the program did not take the key that submits what was typed');
}

const isAtRest = ({ stillSinceMs }: Delivery, { atMs }: ScreenLook): boolean =>
  atMs - stillSinceMs >= restMs;

const isLate = ({ sinceMs }: Delivery, { atMs }: ScreenLook, max: number): boolean =>
  atMs - (sinceMs ?? atMs) >= max;

/** A new step: its clock begins, and the screen is held against what it shows now. */
function next(seen: Delivery, step: Step, { atMs }: ScreenLook): Delivery {
  return { ...seen, step, sinceMs: atMs, stillSinceMs: atMs, before: seen.screen };
}

function unless(isOver: boolean, seen: Delivery, problem: string): Looked {
  return { after: isOver ? { ...seen, step: 'failed', problem } : seen, keys: null };
}

/** A paste where it is taken as one; else one line, which says where the prompt lies. */
export function typed({ text, path }: Prompt, takesPastes: boolean): string {
  const plain = text
    .replace(/\r\n?/g, '\n')
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '')
    .trim();
  const isShort = plain.length <= typedMax;
  const line = isShort && !plain.includes('\n') ? plain : `Do what is written in the file ${path}`;
  if (!takesPastes) return line.replaceAll('\t', ' ');
  const whole = isShort ? plain.replaceAll('\n', '\r') : line;
  return `\u001b[200~${whole}\u001b[201~`;
}
