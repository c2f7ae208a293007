/** The conversation with a program on a terminal: at most its prompt is typed. */
import {
  type ProgramExit,
  type Said,
  type ScreenLook,
  saidNothing,
  type Talk,
  type TurnEnd,
} from '../../../ports/agent.ts';
import { type Delivery, looked, type Prompt, type Step, undelivered } from './delivery.ts';

/** Ctrl-C: what a person would press. */
const interrupt = '\u0003';

export interface PtyTurn {
  /** To be typed; null: it was given in the argv. */
  readonly prompt: Prompt | null;
  /** What the turn came to when its prompt was delivered. */
  readonly end: (exit: ProgramExit, resultFile: string | null) => TurnEnd;
}

export function ptyTalk({ prompt, end }: PtyTurn): Talk {
  let delivery: Delivery = undelivered;
  const look = (screen: ScreenLook): Said => {
    if (prompt === null) return saidNothing;
    const { step } = delivery;
    const { after, keys } = looked(delivery, screen, prompt);
    delivery = after;
    const told = step === after.step ? [] : eventsOf(after);
    return { write: keys === null ? [] : [keys], events: told };
  };
  const isFailed = () => delivery.step === 'failed';
  return {
    // The terminal stays for as long as the program does.
    isOpen: true,
    prompt: prompt === null ? 'silent' : 'told',
    begin: () => saidNothing,
    line: () => saidNothing,
    look,
    decide: () => saidNothing,
    cancel: () => ({ write: [interrupt], events: [] }),
    isCalledOff: isFailed,
    end(exit, resultFile) {
      const isDelivered = prompt === null || delivery.step === 'confirmed' || resultFile !== null;
      return isDelivered ? end(exit, resultFile) : notDelivered(delivery, exit);
    },
  };
}

const states: Partial<Record<Step, 'typed' | 'confirmed' | 'failed'>> = {
  pasted: 'typed',
  confirmed: 'confirmed',
  failed: 'failed',
};

function eventsOf({ step, problem }: Delivery): Said['events'] {
  const state = states[step];
  if (state === undefined) return [];
  const told = { kind: 'delivery', state } as const;
  if (step !== 'failed') return [told];
  const detail = `the prompt was not delivered: ${problem}`;
  return [
    told,
    { kind: 'error', detail },
    { kind: 'turn_finished', reason: 'the prompt was not delivered' },
  ];
}

/** However well it ended: nobody had told it what to do (L-H1). */
function notDelivered({ problem, screen }: Delivery, { exit, signal }: ProgramExit): TurnEnd {
  const ending = signal === null ? `exit ${exit}` : `it was killed by ${signal}`;
  const why = problem ?? `the program ended before (${ending})`;
  const shown = screen.split('\n').slice(0, 3).join(' / ');
  return {
    outcome: 'failed',
    class: 'dispatch_failed',
    detail: `the prompt was not delivered: ${why}; on its screen: ${shown === '' ? 'nothing' : shown}`,
    usage: null,
    sessionId: null,
  };
}
