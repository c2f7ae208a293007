import { world } from './world.ts';

/** What breaks in these worlds, each with the command that replays it. */
export async function broken(from: number, count: number): Promise<readonly string[]> {
  const found: string[] = [];
  for (let seed = from; seed < from + count; seed += 1) {
    const { violation } = await world(seed);
    if (violation !== null) {
      found.push(`${violation}\n  replay: npm run sim -- --seed ${seed} --trace`);
    }
  }
  return found;
}

/** First seeds of chunks, so that a report names the neighbourhood early. */
export const chunks = (from: number, until: number, size: number): readonly number[] =>
  Array.from({ length: Math.ceil((until - from) / size) }, (_, index) => from + index * size);
