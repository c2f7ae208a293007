/**
 * A simulated process: it can be killed between any two calls that it makes, and then nothing that
 * it awaits ever comes back; it can be stopped, and then everything waits until it goes on.
 */
import type { Holder } from '../../src/domain/execution/state.ts';
import type { Instant } from '../../src/domain/ids.ts';
import type { CancelSignal } from '../../src/kernel/cancel-signal.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { VirtualTime } from './time.ts';

export interface SimProcess {
  readonly name: string;
  readonly holder: Holder;
  readonly alive: boolean;
  readonly clock: Clock;
  kill(): void;
  /** SIGSTOP for that long. */
  stop(ms: number): void;
  /** Since when it was never stopped; null: it is now. */
  readonly awakeSince: number | null;
  onDeath(call: () => void): void;
  /** Passes the process's turn: never for a dead one, later for a stopped one. */
  turn(): Promise<void>;
}

const never = new Promise<never>(() => {});

export function simProcess(name: string, holder: Holder, time: VirtualTime): SimProcess {
  let alive = true;
  let goesOn: Promise<void> | null = null;
  let awakeSince = time.now();
  const deaths: (() => void)[] = [];
  const turn = async (): Promise<void> => {
    while (alive && goesOn !== null) await goesOn;
    if (!alive) await never;
  };
  const wake = (ms: number, signal: CancelSignal | undefined): Promise<void> =>
    new Promise((resolve) => {
      if (signal?.aborted === true) return resolve();
      const done = (): void => {
        callOff();
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const callOff = time.at(time.now() + Math.max(0, ms), done);
      signal?.addEventListener('abort', done, { once: true });
    });
  return {
    name,
    holder,
    get alive() {
      return alive;
    },
    clock: {
      now: () => time.wall() as Instant,
      monotonicMs: () => time.now(),
      sleep: async (ms, signal) => {
        await turn();
        await wake(ms, signal);
        await turn();
      },
    },
    kill: () => {
      if (!alive) return;
      alive = false;
      for (const call of deaths) call();
    },
    get awakeSince() {
      return goesOn === null ? awakeSince : null;
    },
    stop: (ms) => {
      if (goesOn !== null || !alive) return;
      goesOn = new Promise((resolve) => {
        time.at(time.now() + ms, () => {
          goesOn = null;
          awakeSince = time.now();
          resolve();
        });
      });
    },
    onDeath: (call) => {
      deaths.push(call);
    },
    turn,
  };
}

/** Every call of a port is a place where its process may be interrupted, before and after. */
export function interruptible<T extends object>(
  port: T,
  process: SimProcess,
  interrupt: (when: 'before' | 'after', method: string) => void,
): T {
  return new Proxy(port, {
    get: (target, property, receiver) => {
      const member: unknown = Reflect.get(target, property, receiver);
      if (typeof member !== 'function' || typeof property !== 'string') return member;
      return async (...args: readonly unknown[]) => {
        interrupt('before', property);
        await process.turn();
        const answer: unknown = await Reflect.apply(member, target, args);
        interrupt('after', property);
        await process.turn();
        return answer;
      };
    },
  });
}
