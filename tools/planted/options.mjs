/** The command line of `npm run test:planted`. */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';

const jobsMost = 8;

/** @returns {{chosen: readonly object[], jobs: number} | {problem: string}} */
export function optionsFrom(args, mutants) {
  let values;
  try {
    ({ values } = parseArgs({ args, options: { only: many, jobs: { type: 'string' } } }));
  } catch (error) {
    return { problem: error.message };
  }
  const ids = mutants.map(({ id }) => id);
  const unknown = values.only.filter((id) => !ids.includes(id));
  if (unknown.length > 0) {
    return { problem: `--only ${unknown.join(' ')}: no such fault; there are ${ids.join(', ')}` };
  }
  const jobs = Number(values.jobs ?? Math.min(2, availableParallelism()));
  if (!Number.isInteger(jobs) || jobs < 1 || jobs > jobsMost) {
    return { problem: `--jobs ${values.jobs}: a number from 1 to ${jobsMost}` };
  }
  const isChosen = ({ id }) => values.only.length === 0 || values.only.includes(id);
  return { chosen: mutants.filter(isChosen), jobs };
}

const many = { type: 'string', multiple: true, default: [] };
