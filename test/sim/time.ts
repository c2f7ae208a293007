/**
 * Virtual time: nothing waits for real. Between two instants every promise that can settle settles;
 * then the clock jumps to the next thing that is due.
 */
export interface VirtualTime {
  /** Monotonic. */
  now(): number;
  /** What a clock on the wall shows: it can be set. */
  wall(): number;
  setWall(byMs: number): void;
  /** Calls at that instant, or as soon as the world gets there; answers how to call it off. */
  at(instant: number, call: () => void): () => void;
  /** Moves to the next thing due and lets it happen; false when nothing is. */
  step(): Promise<boolean>;
  /** The machine sleeps: what falls due meanwhile happens late, all at once. */
  sleep(ms: number): void;
}

interface Entry {
  readonly at: number;
  readonly order: number;
  readonly call: () => void;
  off: boolean;
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export function virtualTime(start: number): VirtualTime {
  const heap: Entry[] = [];
  let now = start;
  let offset = 0;
  let order = 0;
  return {
    now: () => now,
    wall: () => now + offset,
    setWall: (byMs) => {
      offset += byMs;
    },
    at: (instant, call) => {
      order += 1;
      const entry = { at: instant, order, call, off: false };
      push(heap, entry);
      return () => {
        entry.off = true;
      };
    },
    step: async () => {
      await settled();
      for (let entry = pop(heap); entry !== undefined; entry = pop(heap)) {
        if (entry.off) continue;
        now = Math.max(now, entry.at);
        entry.call();
        return true;
      }
      return false;
    },
    sleep: (ms) => {
      now += ms;
    },
  };
}

const before = (a: Entry, b: Entry): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);

function push(heap: Entry[], entry: Entry): void {
  let index = heap.push(entry) - 1;
  while (index > 0) {
    const parent = (index - 1) >> 1;
    const above = heap[parent];
    if (above === undefined || !before(entry, above)) break;
    heap[index] = above;
    index = parent;
  }
  heap[index] = entry;
}

function pop(heap: Entry[]): Entry | undefined {
  const top = heap[0];
  const last = heap.pop();
  if (top === undefined || last === undefined || heap.length === 0) return top;
  let index = 0;
  for (;;) {
    const child = smallerChild(heap, index);
    const below = heap[child];
    if (below === undefined || !before(below, last)) break;
    heap[index] = below;
    index = child;
  }
  heap[index] = last;
  return top;
}

function smallerChild(heap: readonly Entry[], index: number): number {
  const left = heap[2 * index + 1];
  const right = heap[2 * index + 2];
  if (left === undefined) return heap.length;
  return right !== undefined && before(right, left) ? 2 * index + 2 : 2 * index + 1;
}
