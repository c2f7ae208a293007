/**
 * One process of one system: `node worker.mjs <system> <mode> <directory> <steps>`. Says one line
 * of JSON. A system is what its file exports:
 *
 *   open(directory)       → opened
 *   opened.begin(run)     a run that is ready for steps
 *   opened.step(run, n)   one durable step; resolves when it is on the disk
 *   opened.walk(run, n, each)  instead of step, for a system that owns the loop
 *   opened.reenter(run)   what a new process must do before step n+1 may run
 *   opened.pin()          keeps the log from being reused, so that its size is what was written
 *   opened.sizes()        → { stored, log } in bytes
 */
import { writeSync } from 'node:fs';

const [system, mode, directory, text] = process.argv.slice(2);
const steps = Number(text);
const openedAt = performance.now();
const { open } = await import(`./${system}.mjs`);
const importedMs = performance.now() - openedAt;
const say = (result) => writeSync(1, `${JSON.stringify({ ...result, importedMs })}\n`);

async function walk(opened, run, count, dieAt = null) {
  const spans = [];
  let last = performance.now();
  const each = () => {
    const now = performance.now();
    spans.push(now - last);
    last = now;
    if (spans.length === dieAt) process.kill(process.pid, 'SIGKILL');
  };
  if (opened.walk !== undefined) await opened.walk(run, count, each);
  else {
    for (let n = 0; n < count; n += 1) {
      await opened.step(run, n);
      each();
    }
  }
  return spans;
}

const modes = {
  sequential: async (opened) => {
    const run = await opened.begin('one');
    say({ spans: await walk(opened, run, steps), rssMb: process.memoryUsage.rss() / 2 ** 20 });
  },
  sizes: async (opened) => {
    const run = await opened.begin('one');
    await opened.pin();
    const before = await opened.sizes();
    await walk(opened, run, steps);
    const after = await opened.sizes();
    say({ stored: after.stored - before.stored, log: after.log - before.log });
  },
  many: async (opened) => {
    const runs = [];
    for (let n = 0; n < 100; n += 1) runs.push(await opened.begin(`run${n}`));
    const from = performance.now();
    const spans = await Promise.all(runs.map((run) => walk(opened, run, steps)));
    const seconds = (performance.now() - from) / 1000;
    say({ perSecond: (100 * steps) / seconds, spans: spans.flat() });
  },
  die: async (opened) => {
    await walk(opened, await opened.begin('one'), steps + 5, steps);
  },
};

if (mode === 'reenter') {
  const from = performance.now();
  const opened = await open(directory);
  await opened.reenter('one', steps);
  say({ reenterMs: performance.now() - from });
  process.exit(0);
}
await modes[mode](await open(directory));
process.exit(0);
