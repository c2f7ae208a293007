/**
 * A program that opens the store and writes, for tests with many processes and sudden deaths. It
 * says on its standard output what it was told by the store, line by line, before anything else.
 *
 *   add <directory> <run>             starts one run
 *   steps <directory> <run> <n>       n hints, one after another
 *   together <directory> <n> <kill>   starts n runs, then n hints in one call; dies at fault <kill>
 *   soak <directory> <run>            hints for ever
 */
import { writeSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Instant } from '../../src/domain/ids.ts';
import type { Store } from '../../src/ports/store.ts';
import { sqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { command, decideTest, runId, type TestCommand } from './deciding.ts';

const [mode = '', directory = '', third = '', fourth = ''] = process.argv.slice(2);
const say = (line: string) => writeSync(1, `${line}\n`);
let armed = false;

const store = await sqliteStore({
  directory,
  clock: {
    now: () => Date.now() as Instant,
    monotonicMs: () => performance.now(),
    sleep: (ms) => pause(ms),
  },
  faults: {
    reached: (name) => {
      if (armed && name === fourth) process.kill(process.pid, 'SIGKILL');
    },
  },
});

/** Says `<text> <kind>` for each command. */
async function send(store: Store, commands: readonly TestCommand[]): Promise<void> {
  const settled = await store.transact(commands, decideTest);
  for (const [index, one] of settled.entries()) {
    const act = commands[index]?.act;
    const what = act?.type === 'hint' ? act.text.slice(0, 40) : commands[index]?.run;
    const why = one.kind === 'unavailable' || one.kind === 'threw' ? ` ${String(one.error)}` : '';
    say(`${what} ${one.kind}${why}`);
  }
}

const hint = (run: string, text: string) => command(runId(run), { type: 'hint', text });
const start = (run: string) => command(runId(run), { type: 'start' });

if (mode === 'add') await send(store, [start(third)]);
if (mode === 'steps') {
  await send(store, [start(third)]);
  for (let n = 0; n < Number(fourth); n += 1) await send(store, [hint(third, `${third}-${n}`)]);
}
if (mode === 'together') {
  const runs = Array.from({ length: Number(third) }, (_, n) => `r${n}`);
  await send(store, runs.map(start));
  armed = true;
  const wide = '-'.repeat(3_000);
  await send(
    store,
    runs.map((run) => hint(run, `${run}${wide}`)),
  );
}
if (mode === 'soak') {
  await store.transact([start(third)], decideTest);
  for (let n = 0; ; n += 1) await send(store, [hint(third, `${process.pid}-${n}`)]);
}
await store.close();
