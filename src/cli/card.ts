/**
 * A card that is answered by one key: no key is the default, and Enter alone does nothing. The
 * terminal is out of raw mode whenever the answer is here, a signal that ends the process included.
 */
import type { Context } from './command.ts';
import { flowed } from './views/page.ts';

export type Pressed =
  | { readonly key: string }
  /**
   * Nobody can press a key here, the reader left (Ctrl-C, Ctrl-D), a signal came, or what was asked
   * has been answered elsewhere.
   */
  | { readonly key: null; readonly why: 'no_keys' | 'left' | 'SIGTERM' | 'SIGHUP' | 'settled' };

const indent = '  ';
const between = '   ';
const leaving = ['\u0003', '\u0004'];

/** The first of `keys` that is pressed, whatever is pressed before it; `settled` ends the wait. */
export function press(
  context: Context,
  keys: readonly string[],
  settled: AbortSignal,
): Promise<Pressed> {
  const { io } = context;
  return new Promise((resolve) => {
    const undo: (() => void)[] = [];
    let isDone = false;
    const done = (pressed: Pressed): void => {
      if (isDone) return;
      isDone = true;
      for (const act of undo) act();
      resolve(pressed);
    };
    for (const why of ['SIGTERM', 'SIGHUP'] as const) {
      undo.push(io.onSignal(why, () => done({ key: null, why })));
    }
    undo.push(io.onSignal('SIGINT', () => done({ key: null, why: 'left' })));
    const end = (): void => done({ key: null, why: 'settled' });
    settled.addEventListener('abort', end, { once: true });
    undo.push(() => settled.removeEventListener('abort', end));
    if (settled.aborted) return end();
    const restore = io.onKey((typed) => {
      if (leaving.includes(typed)) done({ key: null, why: 'left' });
      else if (keys.includes(typed.toLowerCase())) done({ key: typed.toLowerCase() });
    });
    if (restore === null) done({ key: null, why: 'no_keys' });
    else if (isDone) restore();
    else undo.push(restore);
  });
}

/** `[y] it is good   [n] not yet`, on as many lines as it takes. */
export function keyRows(
  keys: readonly (readonly [key: string, says: string])[],
  columns: number,
): string[] {
  const cells = keys.map(([key, says]) => `[${key}] ${says}`);
  return flowed(cells, columns - indent.length, between).map((row) => indent + row.trimStart());
}
