/** Steps of many runs at once for a time; a step has ended when it is on the disk. */
import { randomBytes } from 'node:crypto';

/** The length of a digest as text: what a checkpoint of pawl itself holds of its result. */
export const smallBytes = 71;

/** Texts that are never the same, so that no system can keep one for another. */
export function results(bytes) {
  const filler = randomBytes(Math.ceil(bytes / 2)).toString('hex');
  let n = 0;
  return () => {
    n += 1;
    return `${n}.${process.pid}.${filler}`.slice(0, bytes);
  };
}

/** Then it is counted all the same, whoever has not begun. */
const beginMs = 30_000;

/**
 * `walkOne` does the steps of one run while `goesOn()`, and calls `stepped` after each. What is
 * counted begins when every run has made a step, so that nobody's start is measured.
 */
export async function walk({ runs, forMs }, walkOne) {
  const calledMs = performance.now();
  let begunMs = null;
  let waiting = runs.length;
  let steps = 0;
  let all = 0;
  const nowMs = () => performance.now();
  const goesOn = () =>
    begunMs === null ? nowMs() - calledMs < beginMs : nowMs() - begunMs < forMs;
  const one = (run) => {
    let isFirst = true;
    const stepped = () => {
      all += 1;
      if (begunMs !== null) steps += 1;
      if (isFirst) waiting -= 1;
      isFirst = false;
      if (waiting === 0) begunMs ??= nowMs();
    };
    return walkOne(run, { goesOn, stepped });
  };
  await Promise.all(runs.map(one));
  if (begunMs === null) throw new Error(`${waiting} of ${runs.length} runs made no step`);
  return { steps, all, seconds: (nowMs() - begunMs) / 1000 };
}

/**
 * Walks of a system that calls its own handlers back by an id: `start` begins the steps of one,
 * and whoever is called asks by `of` what they are.
 */
export function walksById(idOf, start) {
  const walks = new Map();
  let [count, walked] = [0, 0];
  return {
    of: (id) => walks.get(id),
    verbs: {
      prepare: async (wanted) => {
        count = wanted.count;
      },
      walk: ({ forMs, bytes }) => {
        const text = results(bytes);
        return walk({ runs: Array.from({ length: count }), forMs }, async (_, way) => {
          walked += 1;
          const id = idOf(walked);
          walks.set(id, { ...way, text });
          await start(id);
        });
      },
    },
  };
}
