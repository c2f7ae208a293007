/** `npm run sim -- --seed N [--seeds N] [--trace]`: worlds on the command line. */
import { parseArgs } from 'node:util';
import { world } from './world.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '1' },
    trace: { type: 'boolean', default: false },
  },
});

const number = (name: 'seed' | 'seeds'): number => {
  const parsed = Number(values[name]);
  if (Number.isInteger(parsed) && parsed >= 1) return parsed;
  throw new Error(`--${name} is a whole number from 1, not ${values[name]}`);
};

const from = number('seed');
const until = from + number('seeds');
let brokenCount = 0;
for (let seed = from; seed < until; seed += 1) {
  const end = await world(seed);
  const said = end.violation ?? 'holds';
  const lines = values.trace ? [...eventLines(end.log), ...end.trace] : [];
  const summary = `seed ${seed}: ${end.log.length} events, ${end.steps} steps: ${said}`;
  process.stdout.write(`${[...lines, summary].join('\n')}\n`);
  if (end.violation !== null) brokenCount += 1;
}
process.exitCode = brokenCount === 0 ? 0 : 1;

function eventLines(log: readonly string[]): readonly string[] {
  return log.map((line) => line.slice(0, 400));
}
