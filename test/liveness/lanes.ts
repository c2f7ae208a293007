/** The conditions that are short enough to happen for real, and what a lane in each of them is. */
import type { Truth } from './judging.ts';

export interface Condition {
  /** As the goal of its run names it. */
  readonly name: string;
  readonly title: string;
  /** Null: it cannot be, and why. */
  readonly truth: Truth | string;
  /** Seconds for which the right state has to stand, past what would be called a stall. */
  readonly holdsS: number;
}

/** `liveness.idle` of the runs, so that a stall does not take ten minutes. */
export const idleS = 45;
/** How long an answer of the model counts as work, and a row on the screen. */
const workS = 30;
const begins = ['queued', 'starting', 'preparing', 'working', 'quiet'];
const holdsS = idleS + 20;

/** A program without a door and without a protocol. */
export const alone: readonly Condition[] = [
  stall('silent-stall', 'silent stall'),
  stall('repainting-stall', 'repainting stall'),
  works('honest-build', 'long honest build', ['working_local']),
  over('dead-child', 'dead child, open pipe'),
  over('no-result', 'exit without result'),
  frozen(),
  {
    ...{ name: 'model-hang', title: 'model hang', holdsS: 0 },
    truth: 'without a door it is a silent stall',
  },
  works('model-trickle', 'model trickle', ['working_local']),
];

/** A program that paints the whole of a terminal again and again, whatever it does. */
export const onTerminal: readonly Condition[] = [
  stall('repainting-stall', 'repainting stall'),
  works('honest-build', 'long honest build', ['working_tool']),
  over('dead-child', 'dead child, open pipe'),
  over('no-result', 'exit without result'),
  frozen(),
  {
    ...{ name: 'model-hang', title: 'model hang', holdsS: 0 },
    truth: 'without a door it is a repainting stall',
  },
  works('model-trickle', 'model trickle', ['working_local']),
];

/** A program whose calls of models go through a door. */
export const behindDoor: readonly Condition[] = [
  stall('silent-stall', 'silent stall'),
  stall('repainting-stall', 'repainting stall'),
  works('honest-build', 'long honest build', ['working_tool']),
  works('tool-in-flight', 'tool in flight', ['working_tool']),
  over('dead-child', 'dead child, open pipe'),
  over('no-result', 'exit without result'),
  frozen(),
  modelHang(),
  works('model-trickle', 'model trickle', ['working_protocol']),
];

/** What a model can bring about in a program of others; the rest is broken programs. */
export const byModel: readonly Condition[] = [
  works('honest-build', 'long honest build', ['working_tool']),
  works('tool-in-flight', 'tool in flight', ['working_tool']),
  frozen(),
  modelHang(),
  works('model-trickle', 'model trickle', ['working_protocol']),
];

function stall(name: string, title: string): Condition {
  const first = [...begins, 'working_protocol', 'working_local'];
  return { name, title, truth: { is: ['stalled'], first, ruleS: idleS }, holdsS: 6 };
}

function works(name: string, title: string, is: readonly string[]): Condition {
  const first = [...begins, 'working_protocol', 'working_local'];
  return { name, title, truth: { is, first, ruleS: workS }, holdsS };
}

function over(name: string, title: string): Condition {
  const first = [...begins, 'working_protocol', 'dead'];
  return { name, title, truth: { is: ['over'], first, ruleS: 0 }, holdsS: 0 };
}

function frozen(): Condition {
  const first = ['working_local', 'working_protocol', 'quiet'];
  const truth = { is: ['stalled/frozen'], first, ruleS: 2 };
  return { name: 'stopped', title: 'SIGSTOP', truth, holdsS: 6 };
}

function modelHang(): Condition {
  const first = [...begins, 'working_protocol'];
  // Who gives up waiting asks again after a pause.
  const truth = { is: ['quiet/model_wait', 'quiet/backoff'], first, ruleS: workS };
  return { name: 'model-hang', title: 'model hang', truth, holdsS: 20 };
}
