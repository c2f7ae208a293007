/** Agents and models that do not what they should: each is a fault of the lane's own. */
import { writeFileSync } from 'node:fs';
import { again, asks, type Fault, notAtWork, same } from './fault.ts';
import type { Page, Stage } from './stage.ts';

/** As short as a definition may make it. */
const shortly = 'liveness: { idle: 30s }\nrecovery: { silence: 30s, nudges: 0 }';

/** As `spoken-agent.mjs` has it. */
const triesOfAgent = 4;

type How = 'silent' | 'repainting' | 'leaving';
/** The execution at work alone, or every one that comes. */
const behaves =
  (how: How, whose: 'this' | 'every') =>
  ({ work }: Stage): void => {
    const [begun] = work.wrote();
    writeFileSync(work.hold, `${how} ${whose === 'every' ? '*' : begun?.execution}`);
  };

const isStalled = ({ run }: Page): boolean => run.liveness?.state === 'stalled';
const isSilent = ({ run }: Page): boolean =>
  run.liveness !== null && ['quiet', 'stalled'].includes(run.liveness.state);

export const laneFaults: readonly Fault[] = [
  {
    name: 'a silent stall',
    of: { file: shortly },
    strike: behaves('silent', 'this'),
    truth: isStalled,
    ...again,
    executions: 2,
  },
  {
    name: 'a silent stall that is nudged',
    of: { file: 'liveness: { idle: 30s }\nrecovery: { silence: 45s }' },
    strike: behaves('silent', 'this'),
    truth: isStalled,
    ...again,
    executions: 2,
  },
  {
    name: 'a silent stall of whoever comes',
    of: { file: 'liveness: { idle: 30s }\nrecovery: { silence: 30s, requeues: 1 }' },
    strike: behaves('silent', 'every'),
    ...asks('recovery_exhausted'),
    executions: 2,
  },
  {
    name: 'a repainting stall',
    of: { file: shortly },
    strike: behaves('repainting', 'this'),
    truth: isStalled,
    ...again,
    executions: 2,
  },
  {
    name: 'a one-shot exit without a result',
    of: { agent: 'spoken' },
    strike: behaves('leaving', 'this'),
    truth: notAtWork,
    ...again,
    executions: 2,
  },
  {
    name: 'one-shot exits of whoever comes',
    of: { agent: 'spoken' },
    strike: behaves('leaving', 'every'),
    ...asks('recovery_exhausted'),
    executions: 2,
  },
  {
    name: 'the model is limited for a minute and more',
    of: { agent: 'asks a model' },
    strike: ({ models }) => models('rate_limited_until'),
    truth: ({ run }) => run.phase === 'waiting',
    undo: ({ models }) => models(null),
    ...again,
    executions: 2,
  },
  {
    name: 'the model answers 500 until its agent gives up',
    of: { agent: 'asks a model' },
    strike: ({ models }) => models('server_error', triesOfAgent),
    truth: notAtWork,
    ...again,
    executions: 2,
  },
  {
    name: 'the model answers 500, for ever',
    of: { agent: 'asks a model' },
    strike: ({ models }) => models('server_error'),
    ...asks('recovery_exhausted'),
    executions: 4,
  },
  {
    name: 'the model tears its answers until its agent gives up',
    of: { agent: 'asks a model' },
    strike: ({ models }) => models('drop', triesOfAgent),
    truth: notAtWork,
    ...again,
    executions: 2,
  },
  {
    name: 'the model hangs',
    of: { agent: 'asks a model' },
    strike: ({ models }) => models('hang'),
    truth: isSilent,
    // What waits is ended by the door, and asked again by the agent.
    undo: ({ models }) => models(null),
    ...same,
    executions: 1,
  },
];
