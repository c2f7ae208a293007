/**
 * `npm run sim -- [--seed N] [--seeds N] [--jobs N] [--trace]`: worlds on the command line, several
 * at a time, told in the order of their seeds. Exits 1 when something breaks in one.
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { world } from './world.ts';

interface Told {
  readonly seed: number;
  readonly lines: readonly string[];
  readonly events: number;
  readonly isBroken: boolean;
}

if (isMainThread) await command();
else
  parentPort?.on('message', async ({ seed, trace }) =>
    parentPort?.postMessage(await told(seed, trace)),
  );

async function told(seed: number, trace: boolean): Promise<Told> {
  const end = await world(seed);
  const summary = `seed ${seed}: ${end.log.length} events, ${end.steps} steps: ${end.violation ?? 'holds'}`;
  const lines = trace ? [...end.log.map((line) => line.slice(0, 400)), ...end.trace] : [];
  const isBroken = end.violation !== null;
  return { seed, lines: [...lines, summary], events: end.log.length, isBroken };
}

async function command(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string', default: '1' },
      seeds: { type: 'string', default: '1' },
      jobs: { type: 'string', default: String(availableParallelism()) },
      trace: { type: 'boolean', default: false },
    },
  });
  const number = (name: 'seed' | 'seeds' | 'jobs'): number => {
    const parsed = Number(values[name]);
    if (Number.isInteger(parsed) && parsed >= 1) return parsed;
    throw new Error(`--${name} is a whole number from 1, not ${values[name]}`);
  };
  const from = number('seed');
  const until = from + number('seeds');
  const since = performance.now();
  const ends = inOrder(from, (end) => process.stdout.write(`${end.lines.join('\n')}\n`));
  let next = from;
  const take = (): number | null => (next < until ? next++ : null);
  const jobs = Math.min(number('jobs'), until - from);
  await Promise.all(Array.from({ length: jobs }, () => thread(take, values.trace, ends.tell)));
  const { worlds, events, broken } = ends.sum();
  if (worlds > 1) {
    const seconds = Math.round((performance.now() - since) / 1000);
    const said = broken === 0 ? 'all hold' : `${broken} broken`;
    process.stdout.write(`${worlds} worlds, ${events} events: ${said}, ${seconds} s\n`);
  }
  process.exitCode = broken === 0 ? 0 : 1;
}

/** One world after the other in a thread of its own, until none is left to take. */
function thread(
  take: () => number | null,
  trace: boolean,
  tell: (end: Told) => void,
): Promise<void> {
  const worker = new Worker(new URL(import.meta.url));
  return new Promise<void>((resolve, reject) => {
    const go = (): void => {
      const seed = take();
      if (seed === null) resolve();
      else worker.postMessage({ seed, trace });
    };
    worker.on('message', (end: Told) => {
      tell(end);
      go();
    });
    worker.on('error', reject);
    go();
  }).finally(() => worker.terminate());
}

function inOrder(from: number, print: (end: Told) => void) {
  const early = new Map<number, Told>();
  let next = from;
  let events = 0;
  let broken = 0;
  return {
    tell: (end: Told): void => {
      events += end.events;
      if (end.isBroken) broken += 1;
      early.set(end.seed, end);
      for (let due = early.get(next); due !== undefined; due = early.get(next)) {
        early.delete(next);
        print(due);
        next += 1;
      }
    },
    sum: () => ({ worlds: next - from, events, broken }),
  };
}
